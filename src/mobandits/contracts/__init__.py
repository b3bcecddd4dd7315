"""The contracts: recipe, policy, order, environment, metric, and what recipes assume of data.

Loops need only the five methods of a policy. An agent has to keep notes, grow, merge, and read files,
so it needs more. Classes declare it, and what is not declared has a safe default:

- the type of the note, `note()`: one number; `possible_notes(state, note)`: any finite number;
- the note of an arm that something else chose, `note_for(...)` and `NOTES_PROBABILITY`: `WithFloor`
  refuses the policy;
- axes and limits of arrays, `@state_fields(seen=counts("arms", "objectives"))` on the class of
  states: finite numbers, and an axis that grows with the arms is one of arms;
- `merged(other, first)` of the class of states: they cannot be merged;
- `RANDOM_BELIEFS`, `FORGETS`, `ORDERED`, `BEGINS_ANEW`: beliefs are not drawn, old rewards count
  fully, the order of rewards does not matter, and nothing ends where an agent is retuned;
- `COMPOSED`, `ONE_COLUMN`, `MEAN_REWARDS`, `PASSES_BELIEFS` of parts, in `composition`: not so;
- `bounds(...)`, `eases(...)` and `EASES_LIMITS`: wrappers with limits refuse the policy;
- `terms` and `ARM_FIELDS` of a recipe, in `terms`: objectives and arms are numbers;
- `assumptions()` of a recipe, in `assumptions`: none; `traits`: no row on the page that helps to
  choose.
"""
