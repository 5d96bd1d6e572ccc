from nln.export.sql import to_sql
