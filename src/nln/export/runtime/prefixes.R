
  # The first characters of codes, which are text or whole numbers; a column of the first characters may also be given.
  for (prefix in prefixes) {
    if (prefix$name %in% names(data)) next
    place <- match(prefix$column, names(data))
    if (is.na(place)) stop("The data lack the column '", prefix$column, "'.")
    codes <- data[[place]]
    if (is.numeric(codes)) {
      if (any(codes[!is.na(codes)] %% 1 != 0)) stop("The column '", prefix$column, "' must hold codes.")
      codes <- ifelse(is.na(codes), NA, sprintf("%.0f", codes))
    }
    data[[prefix$name]] <- substr(as.character(codes), 1, prefix$length)
  }
