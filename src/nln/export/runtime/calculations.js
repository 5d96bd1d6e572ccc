
// The row with the columns that are calculated from others.
function calculate(row) {
  const full = Array.isArray(row) ? [...row] : { ...row };
  for (const step of calculations) full[step.name] = calculated(step, full);
  return full;
}

function calculated(step, row) {
  if (step.members) return step.members.reduce((count, member) => count + membership(member, row), 0);
  if (step.same) {
    const [one, listed] = step.same.map((name) => cell(row, name));
    if (one === null || listed === null) return null;
    const other = step.places?.[listed] ?? listed; // where both are numbers of values in different orders
    return same(one, other) && step.values.some((listed) => same(one, listed));
  }
  let result = sum(step.above, row);
  for (const divisor of step.below) {
    const by = sum(divisor, row);
    result = by === 0 ? NaN : result / by;
  }
  if (!Number.isFinite(result)) return null;
  return step.digits ? Number(result.toPrecision(step.digits)) : result;
}

// A sum of products, NaN if a column is missing; what only rounding keeps from 0 is 0.
function sum([tolerance, terms], row) {
  let total = 0;
  let size = 0;
  for (const [sign, names] of terms) {
    const product = names.reduce((part, name) => part * (cell(row, name) === null ? NaN : number(row[name])), 1);
    total += sign * product;
    size += Math.abs(product);
  }
  return Math.abs(total) < tolerance * size ? 0 : total;
}

// A cell of the row; null if it is missing.
function cell(row, name) {
  const value = Object.hasOwn(row, name) ? row[name] : null;
  return value === undefined || Number.isNaN(value) ? null : value;
}
