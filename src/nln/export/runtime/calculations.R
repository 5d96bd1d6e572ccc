
  # Columns that are calculated from others; NA where a column is missing, a divisor is 0 or the result infinite.
  cells <- function(name) {
    place <- match(name, names(data))
    if (is.na(place)) stop("The data lack the column '", name, "'.")
    column <- data[[place]]
    if (is.factor(column)) as.character(column) else column
  }

  numbers <- function(name) {
    column <- cells(name)
    if (is.numeric(column) || is.logical(column)) return(as.numeric(column))
    stop("The column '", name, "' must hold numbers.")
  }

  # A sum of products; one that only rounding keeps from 0 is 0.
  sum_of <- function(asked) {
    total <- size <- rep(0, rows)
    for (term in asked$terms) {
      product <- Reduce(`*`, lapply(term[[2]], numbers))
      total <- total + term[[1]] * product
      size <- size + abs(product)
    }
    total[which(abs(total) < asked$tolerance * size)] <- 0
    total
  }

  # Text equals text only; numbers and truth values (as 0 and 1) equal by their number.
  same_cells <- function(step) {
    one <- cells(step$same[1])
    other <- cells(step$same[2])
    equal <- if (is.character(one) != is.character(other)) rep(FALSE, rows) else one == other
    known <- if (is.character(one)) one %in% step$texts else as.numeric(one) %in% step$numbers
    ifelse(is.na(one) | is.na(other), NA, equal & known)
  }

  for (step in calculations) {
    if (!is.null(step$members)) {
      result <- rep(0, rows)
      for (member in step$members) result <- result + membership(member)
    } else if (!is.null(step$same)) {
      result <- same_cells(step)
    } else {
      result <- sum_of(step$above)
      for (divisor in step$below) {
        by <- sum_of(divisor)
        by[which(by == 0)] <- NA
        result <- result / by
      }
      result[!is.finite(result)] <- NA
    }
    data[[step$name]] <- result
  }

