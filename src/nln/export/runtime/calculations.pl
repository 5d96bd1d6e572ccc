
% calculated(+Expression, +Row, -Value): fails where a column is missing, a divisor is 0 or the result is not a number.
calculated(count(Members), Row, Count) :-
    foldl(plus_degree(Row), Members, 0, Count).
calculated(children(Table, Conditions), Row, Count) :-
    ( present(Row, Table, Children) -> must_be(list, Children) ; existence_error(children, Table) ),
    include(satisfies(Conditions), Children, Counted),
    length(Counted, Count).
calculated(same(One, Other, Values), Row, Same) :-
    present(Row, One, Left0),
    present(Row, Other, Right0),
    plain(Left0, Left),
    plain(Right0, Right),
    ( listed(Left, Values), equal(Left, Right) -> Same = true ; Same = false ).
calculated(quotient(Above, Divisors), Row, Result) :-
    catch(quotient(Above, Divisors, Row, Result), error(evaluation_error(_), _), fail),
    \+ float_class(Result, infinite),
    \+ float_class(Result, nan).

satisfies(Conditions, Child) :-
    forall(member(Condition, Conditions), ( degree(Condition, Child, Degree), Degree >= 0.5 )).

plus_degree(Row, Member, Count0, Count) :-
    degree(Member, Row, Degree),
    Count is Count0 + truncate(Degree).

equal(Left, Right) :- number(Left), !, number(Right), compare_numbers(Left, Right).
equal(Left, Right) :- \+ number(Right), text_to_string(Left, Text), text_to_string(Right, Text).

quotient(Above, Divisors, Row, Result) :-
    total(Above, Row, Total),
    foldl(divided(Row), Divisors, Total, Result).

divided(Row, Divisor, Total, Result) :-
    total(Divisor, Row, By),
    By =\= 0.0,
    Result is Total / By.

% A sum of products; one that only rounding keeps from 0 is 0.
total(sum(Tolerance, Terms), Row, Total) :-
    foldl(plus_term(Row), Terms, 0.0-0.0, Sum-Size),
    ( abs(Sum) < Tolerance * Size -> Total = 0.0 ; Total = Sum ).

plus_term(Row, term(Sign, [First|Names]), Sum0-Size0, Sum-Size) :-
    operand(Row, First, Start),
    foldl(times_operand(Row), Names, Start, Product),
    Sum is Sum0 + Sign * Product,
    Size is Size0 + abs(Product).

times_operand(Row, Name, Product0, Product) :-
    operand(Row, Name, Value),
    Product is Product0 * Value.

operand(Row, Name, Value) :-
    present(Row, Name, Cell),
    plain(Cell, Number),
    must_be(number, Number),
    Value is float(Number).
