"""The decision service: agents behind HTTP, on one store.

A call is parsed, handed to its agent, written into the group of calls that is committed next, and
answered once that is on disk. One event loop owns all agents, and one thread commits.

- `specification` is the file of a service; `hosted_agent` and `hosted_agents` are its agents;
  `calls` and `operations` its endpoints, each described once for routes, documentation and clients.
- `group_commit`: when calls go to the disk, and how answers wait for it; `stalls`: what holds both
  up; `snapshots`. `preview`, `evaluations` and `exporting` work beside the loop.
- `connection_limits`: sizes, times and numbers of what comes in, before it is parsed;
  `authorisation`, `telemetry`, `request_log`, `openapi`.
- `dashboard`: each page gathers typed contents, which a template lays out, and reads sums only.
- `postgres`: stores in a database; `workers`: processes that decide; `demo`: `serve --demo`.
"""
