"""The reminders that wait, are due, out or held, and whose turn is next (section 7).

What each event makes of a reminder, by the state that its present firing is in. `next` is the state `waiting`
of its next firing; where a reminder does not recur it is `gone`. A dash is what cannot happen.

| event               | waiting | due     | out     | held     | released | out again |
|---------------------|---------|---------|---------|----------|----------|-----------|
| its time comes      | due     | -       | -       | released | -        | -         |
| sent                | -       | out     | -       | -        | out again| -         |
| taken               | -       | -       | next    | -        | -        | next      |
| refused             | -       | -       | held    | -        | -        | held      |
| failed              | -       | -       | held    | -        | -        | held      |
| no answer           | -       | -       | held    | -        | -        | held      |
| late taken          | -       | -       | -       | next     | next     | next out  |
| late refused        | -       | -       | -       | held     | released | out again |
| all are released    | waiting | due     | out     | released | released | out again |
| expired             | -       | next    | -       | next     | next     | -         |
| cancelled           | gone    | gone    | gone    | gone     | gone     | gone      |
| moved by the agent  | waiting | waiting | waiting | waiting  | waiting  | waiting   |
| reworded by it      | waiting | due     | out     | held     | released | out again |
| moved by a stranger | waiting | waiting | out     | waiting  | waiting  | out       |
| reworded by one     | waiting | due     | out     | held     | released | out again |
| clock set back      | waiting | waiting | out     | held     | *        | out again |

`waiting` and `due` are `Untried`. `held` and `released` are `Held`, until a time or until there is room.
`out` and `out again` are `Out`. `next out`: the next firing waits, and is not sent before the later try of
this one, which is still out, is answered or given up. `*`: a one-shot whose instant is to come again is held
until then; a recurring reminder stays released.
"""
