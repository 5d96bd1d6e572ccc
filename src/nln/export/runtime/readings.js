
// A row with the features that are read from text, dates or codes; values of these features may also be given.
function readRow(row) {
  const read = { ...row };
  for (const [feature, how] of Object.entries(readings)) {
    if (how.kind === "number") read[feature] = writtenNumber(feature, row[feature], how);
    else if (!Object.hasOwn(row, feature)) read[feature] = how.kind === "prefix" ? prefixOf(row[how.column], how) : datePart(row, how);
  }
  return read;
}

// The first characters of a code, null if it is missing.
function prefixOf(cell, how) {
  if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
  const code = Number.isInteger(cell) && cell >= 0 ? BigInt(cell).toString() : cell;
  if (typeof code !== "string") throw new TypeError(`Column ${how.column} is read as codes, but a row holds ${cell}`);
  return Array.from(code).slice(0, how.length).join("");
}

function matched(pattern, text) {
  return new RegExp(`^(?:${pattern})$`).exec(text.trim().split(/\s+/).join(" "))?.groups;
}

function writtenNumber(feature, cell, how) {
  if (typeof cell !== "string") return cell;
  const found = matched(how.pattern, cell.replaceAll("\u2212", "-").replaceAll("\u2019", "'"));
  const unit = found && (found.before || (found.after ?? "").trimEnd());
  if (!found || (found.before && found.after) || (unit && plainUnit(unit) !== plainUnit(how.unit))) {
    throw new TypeError(`Column ${feature} is read as ${how.allowed}, but a row holds ${cell}`);
  }
  const whole = (found.whole ?? "").replace(/\D/g, "") || "0";
  return Number(`${found.sign ?? found.inner ?? ""}${whole}.${found.part || found.bare || "0"}${found.power ?? ""}`);
}

function plainUnit(unit) {
  return unit.toLowerCase().replace(/s$/, "");
}

function datePart(row, how) {
  const time = timeOf(row[how.column], how.column, how.order);
  if (time === null) return null;
  if (how.part === "year") return time.getUTCFullYear();
  if (how.part === "month") return months[time.getUTCMonth()];
  if (how.part === "weekday") return weekdays[(time.getUTCDay() + 6) % 7];
  if (how.part === "hour") return time.getUTCHours();
  const start = how.since ? parsed(how.since) : timeOf(row[how.since_column], how.since_column, how.since_order);
  return start === null ? null : calendarDay(time) - calendarDay(start);
}

function calendarDay(time) {
  return Math.floor(time.getTime() / 86400000);
}

// A point of time as its clock shows it, in the UTC fields of a date; null if it is missing.
function timeOf(cell, column, order) {
  if (cell === null || cell === undefined || Number.isNaN(cell)) return null;
  let found = typeof cell === "string" ? parsed(cell, order) : null;
  if (cell instanceof Date) found = utc(cell.getFullYear(), cell.getMonth(), cell.getDate(), cell.getHours());
  if (found === null) throw new TypeError(`Column ${column} is read as dates, but a row holds ${cell}`);
  return found;
}

function parsed(text, order) {
  for (const pattern of dates) {
    const found = matched(pattern, text);
    if (!found) continue;
    let { m: month, d: day } = found;
    if (found.a) [month, day] = order === "dmy" ? [found.b, found.a] : [found.a, found.b];
    if (found.name) month = monthNumbers[found.name.toLowerCase()];
    if (!month || (found.a && !order)) return null;
    let hour = Number(found.hour ?? 0);
    if (found.half && (hour < 1 || hour > 12)) return null;
    if (found.half) hour = (hour % 12) + (found.half.toLowerCase() === "p" ? 12 : 0);
    if (hour > 23 || Number(found.minute ?? 0) > 59 || Number(found.second ?? 0) > 59) return null;
    const time = utc(Number(found.y), month - 1, Number(day), hour);
    return time.getUTCMonth() === month - 1 && time.getUTCDate() === Number(day) ? time : null;
  }
  return null;
}

function utc(year, month, day, hour) {
  const time = new Date(0);
  time.setUTCFullYear(year, month, day);
  time.setUTCHours(hour);
  return time;
}
