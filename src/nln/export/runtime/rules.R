
  # How far each row satisfies a condition; NA and NaN are missing.
  membership <- function(condition) {
    place <- match(condition$feature, names(data))
    if (is.na(place)) stop("The data lack the column '", condition$feature, "'.")
    column <- data[[place]]
    if (is.factor(column)) column <- as.character(column)
    known <- !is.na(column)
    if (!is.null(condition$period) && is.numeric(column)) known <- known & abs(column) < condition$limit
    result <- rep(condition$missing, length(column))
    result[known] <- degrees(condition, column[known])
    result
  }

  degrees <- function(condition, x) {
    if (is.null(condition$intervals) && is.null(condition$chance)) {
      # Text equals text only; numbers and truth values (as 0 and 1) equal by their number.
      listed <- if (is.character(x)) x %in% condition$texts else as.numeric(x) %in% condition$numbers
      return(as.numeric(listed != condition$negated))
    }
    if (!is.numeric(x) && !is.logical(x)) stop("The column '", condition$feature, "' must hold numbers.")
    x <- as.numeric(x)
    if (!is.null(condition$chance)) {
      if (any(x < 0 | x > 1)) stop("The column '", condition$feature, "' must hold probabilities from 0 to 1.")
      return(if (condition$chance == 1) x else 1 - x)
    }
    if (!is.null(condition$period)) {
      outside <- x < 0 | x >= condition$period
      x[outside] <- x[outside] - condition$period * floor(x[outside] / condition$period)
    }
    absent <- rep(1, length(x))
    for (interval in condition$intervals) {
      absent <- absent * (1 - side(x, interval[1], interval[2], 1) * side(x, interval[3], interval[4], -1))
    }
    1 - absent
  }

  # How far numbers lie above (direction 1) or below (-1) a boundary; NA is an open end, a width of 0 is crisp.
  side <- function(x, place, width, direction) {
    if (is.na(place)) return(rep(1, length(x)))
    if (width == 0) return(as.numeric((x >= place) == (direction > 0)))
    1 / (1 + exp(-direction * log(9) * ((x - place) / width)))
  }

  data <- as.data.frame(data, optional = TRUE, stringsAsFactors = FALSE)
  rows <- nrow(data)
  absent <- matrix(rep(1 - biases, each = rows), rows, length(biases))
  for (rule in rules) {
    held <- rep(1, rows)
    for (condition in rule$conditions) held <- held * membership(condition)
    absent[, rule$output] <- absent[, rule$output] * (1 - rule$weight * held)
  }
  P <- 1 - absent
  if (kind == "multiclass") {
    measured <- if (length(thresholds)) sweep(P, 2, thresholds, "/") else P
    decision <- labels[vapply(seq_len(rows), function(row) which.max(measured[row, ]), 1L)]
    total <- rowSums(P)
    probabilities <- P / total
    probabilities[total == 0, ] <- 1 / ncol(P)
  } else {
    holds <- sweep(P, 2, thresholds, ">=")
    probabilities <- if (kind == "binary") cbind(1 - P, P) else P
    decision <- if (kind == "binary") labels[holds + 1L] else holds + 0L
  }
  result <- data.frame(probabilities, decision, stringsAsFactors = FALSE)
  stats::setNames(result, columns)
}
