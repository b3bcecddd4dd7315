"""Workers that decide, and the learner that learns for all of them, on one store in PostgreSQL.

A worker (`worker`, `agent_copy`, `copies`) decides from the state that the learner published
(`publisher`), and writes decisions and rewards into an inbox, group by group (`gathering`), before it
answers. The learner (`inbox`, `taking_in`) makes events of them, and deletes the rows in the
transaction of the events.

- Keys do the counting. Two workers with one key, or one reward, meet at a unique key of the inbox.
  What the learner has moved is looked for after the insertion, in the same transaction, since a row
  that is being moved makes it wait.
- Each incarnation of a worker has a range of numbers of its own (`support.numbering`). Nothing
  follows from numbers of two ranges: pages go by `seq`, timers by the order in which decisions came.
- Arms come and go behind a fence. Workers' transactions share a lock that the learner takes for a
  moment, and a decision joins the inbox only from a state behind the present fence.
- Who takes the store counts one more epoch. What a learner publishes, or notes as applied, needs the
  present one.
- `supervisor` starts and restarts the processes (`process`); a pipe whose other end it has tells them
  that it is gone. `forwarding` passes on the calls that only the learner can answer.
"""
