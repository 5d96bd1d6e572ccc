
% first_characters(+Code, +Length, -Prefix): codes are text or whole numbers; a shorter code stays whole.
first_characters(Code, Length, Prefix) :-
    (   number(Code)
    ->  exact(Code, Whole), must_be(nonneg, Whole), number_string(Whole, Text)
    ;   text_to_string(Code, Text)
    ),
    ( sub_string(Text, 0, Length, _, Prefix) -> true ; Prefix = Text ).
