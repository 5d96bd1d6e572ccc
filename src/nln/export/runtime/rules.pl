
% membership(?Number, +Row, -Membership): how far a row satisfies the conditions of a rule, from 0.0 to 1.0.
membership(Number, Row, Membership) :-
    rule(Number, _, _, Conditions),
    foldl(times_degree(Row), Conditions, 1.0, Membership).

% probability(+Row, ?Label, -Probability). A row is a dict, or a list of Feature-Value pairs; null and absent are missing.
probability(Row, Label, Probability) :-
    kind(Kind),
    outputs(Row, Ps),
    label_probabilities(Kind, Ps, All),
    labels(Labels),
    nth0(Place, Labels, Label),
    nth0(Place, All, Probability).

% decision(+Row, ?Label): the label decided; of several labels each one that holds.
decision(Row, Label) :-
    kind(Kind),
    outputs(Row, Ps),
    labels(Labels),
    decided(Kind, Ps, Labels, Label).

decided(binary, [P], [No, Yes], Label) :-
    thresholds([Threshold]),
    ( P >= Threshold -> Label = Yes ; Label = No ).
decided(multiclass, Ps, Labels, Label) :-
    thresholds(Thresholds),
    ( Thresholds = [] -> Measured = Ps ; maplist(divide, Ps, Thresholds, Measured) ),
    max_list(Measured, Most),
    once(( nth0(Place, Measured, P), P =:= Most )),
    nth0(Place, Labels, Label).
decided(multilabel, Ps, Labels, Label) :-
    thresholds(Thresholds),
    nth0(Place, Labels, Label),
    nth0(Place, Ps, P),
    nth0(Place, Thresholds, Threshold),
    P >= Threshold.

label_probabilities(binary, [P], [Q, P]) :- Q is 1.0 - P.
label_probabilities(multilabel, Ps, Ps).
label_probabilities(multiclass, Ps, Shares) :-
    sum_list(Ps, Total),
    length(Ps, Count),
    maplist(share(Total, Count), Ps, Shares).

share(Total, Count, P, Share) :- ( Total > 0.0 -> Share is P / Total ; Share is 1.0 / Count ).

% P = 1 - (1 - bias) * product over the output's rules of (1 - weight * membership).
outputs(Row, Ps) :-
    biases(Biases),
    findall(P, ( nth0(Output, Biases, Bias), output(Row, Output, Bias, P) ), Ps).

output(Row, Output, Bias, P) :-
    findall(Absent, absent(Row, Output, Absent), Factors),
    Absent0 is 1.0 - Bias,
    foldl(times, Factors, Absent0, Absent),
    P is 1.0 - Absent.

absent(Row, Output, Absent) :-
    rule(Number, Output, Probability, _),
    membership(Number, Row, Membership),
    Absent is 1.0 - Probability * Membership.

divide(P, Threshold, Measured) :- Measured is P / Threshold.

times(Factor, Product0, Product) :- Product is Product0 * Factor.

times_degree(Row, Condition, Product0, Product) :-
    degree(Condition, Row, Degree),
    Product is Product0 * Degree.

degree(Condition, Row, Degree) :-
    arg(1, Condition, Feature),
    (   present(Row, Feature, Value),
        arg(2, Condition, Asked),
        functor(Condition, Test, _),
        degree(Test, Value, Asked, Degree)
    ->  true
    ;   arg(3, Condition, Degree)
    ).

degree(in, Value, Values, Degree) :- ( listed(Value, Values) -> Degree = 1.0 ; Degree = 0.0 ).
degree(not_in, Value, Values, Degree) :- ( listed(Value, Values) -> Degree = 0.0 ; Degree = 1.0 ).
degree(intervals, Value, Intervals, Degree) :-
    plain(Value, X),
    must_be(number, X),
    maplist(inside(X), Intervals, Degrees),
    union(Degrees, Degree).
% Beyond the limit there is no place on the circle, as if the value were missing.
degree(arcs, Value, circle(Period, Limit, Intervals), Degree) :-
    plain(Value, Number),
    must_be(number, Number),
    on_circle(Number, Period, Limit, X),
    degree(intervals, X, Intervals, Degree).
degree(chance, Value, Asked, Degree) :-
    plain(Value, P),
    must_be(between(0.0, 1.0), P),
    ( Asked =:= 1 -> Degree is float(P) ; Degree is 1.0 - P ).

on_circle(Number, Period, Limit, X) :-
    abs(Number) < Limit,
    (   Number >= 0, Number < Period
    ->  X = Number
    ;   X is Number - Period * float(floor(Number / Period))
    ).

present(Row, Feature, Value) :-
    given(Row, Feature, Value),
    Value \== null,
    \+ ( float(Value), float_class(Value, nan) ).

given(Row, Feature, Value) :-
    ( is_dict(Row) -> get_dict(Feature, Row, Value) ; memberchk(Feature-Value, Row) ).

% Text equals text only; numbers and truth values (as 1 and 0) equal by their number.
listed(Value, Values) :-
    plain(Value, Plain),
    member(Listed, Values),
    same(Plain, Listed),
    !.

same(Value, Listed) :- number(Listed), !, number(Value), compare_numbers(Value, Listed).
same(Value, Listed) :- \+ number(Value), text_to_string(Value, Text), Text == Listed.

% A float and an integer are equal if they are the same number, whatever the integer's size.
compare_numbers(Value, Listed) :- exact(Value, Exact), exact(Listed, Exact).

exact(Value, Exact) :-
    (   float(Value), \+ float_class(Value, infinite), Value =:= truncate(Value)
    ->  Exact is truncate(Value)
    ;   Exact = Value
    ).

plain(true, 1) :- !.
plain(false, 0) :- !.
plain(Value, Value).

union([], 0.0).
union([First|Others], Degree) :- foldl(either, Others, First, Degree).

either(Degree, Degree0, Result) :- Result is 1.0 - (1.0 - Degree0) * (1.0 - Degree).

inside(X, interval(Low, High), Degree) :-
    lower_end(Low, X, Above),
    upper_end(High, X, Below),
    Degree is Above * Below.

lower_end(open, _, 1.0).
lower_end(Place-Width, X, Degree) :- side(Width, X, Place, -1, Degree).

upper_end(open, _, 1.0).
upper_end(Place-Width, X, Degree) :- side(Width, X, Place, 1, Degree).

% A width of 0 is crisp; beyond the floats the membership has reached its limit.
side(Width, X, Place, Sign, Degree) :-
    (   Width =:= 0
    ->  limit(Sign, X, Place, Degree)
    ;   catch(Degree is 1.0 / (1.0 + exp((X - Place) / Width * (Sign * log(9.0)))),
              error(evaluation_error(_), _),
              limit(Sign, X, Place, Degree))
    ).

limit(-1, X, Place, Degree) :- ( X >= Place -> Degree = 1.0 ; Degree = 0.0 ).
limit(1, X, Place, Degree) :- ( X < Place -> Degree = 1.0 ; Degree = 0.0 ).
