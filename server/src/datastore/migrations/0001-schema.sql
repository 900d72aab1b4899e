-- The schema of version 1.0.0.
--
-- Words in double braces stand for what each engine calls a thing: {{int}} is a 64-bit integer, {{text}} a text compared by
-- code point, {{id}} a number that the database gives to a new row, and {{key}} makes it the key of its table, together
-- with the workspace. {{rows}} ends a table; {{sorted}} ends one that is stored in the order of its key. {{and_id}} ends an
-- index whose rows are read by id.
--
-- workspaces, api_keys and bans are the directory: they find the workspace of a request, and whether it may be served. Every other row of a tenant names its
-- workspace, and so do its keys and foreign keys on PostgreSQL, so the tables can be distributed by workspace.

-- The state follows from the instants. Once a workspace is erased, erase_at is when what was written late is deleted, and
-- NULL when all is done.
CREATE TABLE workspaces (
  id {{directory_id}},
  name {{text}} NOT NULL,
  plan {{text}} NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute {{int}},
  per_day {{int}},
  grant_per_day {{int}},
  grant_ends_at {{int}},
  low_stock_at {{int}},
  created_at {{int}} NOT NULL,
  active_since {{int}},
  suspended_at {{int}},
  suspend_reason {{text}},
  closed_at {{int}},
  closed_by {{text}} CHECK (closed_by IN ('owner', 'operator')),
  close_reason {{text}},
  erase_at {{int}},
  erased_at {{int}},
  state {{text}} NOT NULL GENERATED ALWAYS AS (
    CASE WHEN erased_at IS NOT NULL THEN 'erased' WHEN closed_at IS NOT NULL THEN 'closing'
    WHEN suspended_at IS NOT NULL THEN 'suspended' ELSE 'active' END
  ) STORED,
  CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
  CHECK ((plan = 'enterprise') = (per_day IS NOT NULL)),
  CHECK ((grant_per_day IS NULL) = (grant_ends_at IS NULL)),
  CHECK ((suspended_at IS NULL) = (suspend_reason IS NULL)),
  CHECK ((closed_at IS NULL) = (closed_by IS NULL))
) {{rows}};
CREATE INDEX workspaces_by_state ON workspaces (state{{and_id}});
CREATE INDEX workspaces_to_erase ON workspaces (erase_at) WHERE erase_at IS NOT NULL;

-- A session of the console is a key with a parent. It ends with its parent.
CREATE TABLE api_keys (
  id {{text}} PRIMARY KEY,
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  digest {{text}} NOT NULL UNIQUE,
  name {{text}} NOT NULL,
  hint {{text}} NOT NULL,
  scopes {{text}} NOT NULL,
  parent_id {{text}},
  created_at {{int}} NOT NULL,
  expires_at {{int}},
  rotated_at {{int}},
  revoked_at {{int}},
  last_used_at {{int}}
) {{rows}};
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id);
CREATE INDEX api_keys_open_sessions ON api_keys (parent_id, expires_at) WHERE parent_id IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX api_keys_sessions_by_end ON api_keys (expires_at) WHERE parent_id IS NOT NULL;
CREATE INDEX api_keys_sessions_by_revocation ON api_keys (revoked_at, id)
  WHERE parent_id IS NOT NULL AND revoked_at IS NOT NULL;
CREATE INDEX api_keys_managing ON api_keys (workspace_id, expires_at, id)
  WHERE parent_id IS NULL AND revoked_at IS NULL AND scopes LIKE '%manage%';
CREATE INDEX api_keys_operating ON api_keys (workspace_id, id)
  WHERE parent_id IS NULL AND revoked_at IS NULL AND scopes LIKE '%operate%';

CREATE TABLE categories (
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  id {{id}},
  name {{text}} NOT NULL,
  name_key {{text}} NOT NULL,
  words {{text}} NOT NULL,
  description {{text}},
  {{key}},
  UNIQUE (workspace_id, name_key)
) {{rows}};

-- An index of words has a row for each word of a name. The record has its words as a JSON list.
CREATE TABLE category_words (
  workspace_id {{int}} NOT NULL,
  word {{text}} NOT NULL,
  id {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, word, id)
) {{sorted}};

-- A deleted pet stays, hidden and without its category, because its orders and its ledger stay. moved_at is the time of
-- the last row of its ledger, which no later row may precede.
CREATE TABLE pets (
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  id {{id}},
  category_id {{int}},
  name {{text}} NOT NULL,
  name_key {{text}} NOT NULL,
  words {{text}} NOT NULL,
  quantity {{int}} NOT NULL CHECK (quantity BETWEEN 0 AND 1000000000),
  reserved {{int}} NOT NULL CHECK (reserved >= 0),
  held {{int}} NOT NULL CHECK (held IN (0, 1)),
  status {{int}} NOT NULL GENERATED ALWAYS AS (
    CASE WHEN quantity = 0 THEN 2 WHEN held = 1 OR quantity = reserved THEN 1 ELSE 0 END
  ) STORED,
  low_stock_at {{int}},
  reference {{text}},
  metadata {{text}},
  created_at {{int}} NOT NULL,
  moved_at {{int}} NOT NULL,
  deleted_at {{int}},
  {{key}},
  FOREIGN KEY (workspace_id, category_id) REFERENCES categories (workspace_id, id),
  CHECK (reserved <= quantity),
  CHECK ((deleted_at IS NULL) = (category_id IS NOT NULL))
) {{rows}};
CREATE INDEX pets_present ON pets (workspace_id{{and_id}}) WHERE deleted_at IS NULL;
CREATE INDEX pets_by_name ON pets (workspace_id, name{{and_id}}) WHERE deleted_at IS NULL;
CREATE INDEX pets_by_name_key ON pets (workspace_id, name_key{{and_id}}) WHERE deleted_at IS NULL;
CREATE INDEX pets_by_status ON pets (workspace_id, status{{and_id}}) WHERE deleted_at IS NULL;
-- Of all pets: the foreign key looks here when a category is deleted, and uses no index of some.
CREATE INDEX pets_by_category ON pets (workspace_id, category_id{{and_id}});
CREATE UNIQUE INDEX pets_by_reference ON pets (workspace_id, reference)
  WHERE deleted_at IS NULL AND reference IS NOT NULL;

-- The words of pets that are not deleted.
CREATE TABLE pet_words (
  workspace_id {{int}} NOT NULL,
  word {{text}} NOT NULL,
  id {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, word, id)
) {{sorted}};

-- An order that has ended stays. Its state is part of each index by which orders are listed, so ended ones do not slow
-- the lists of open ones. words has the words of the customer and of the reference, customer_words those of the customer.
CREATE TABLE orders (
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  id {{id}},
  pet_id {{int}} NOT NULL,
  quantity {{int}} NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date {{int}},
  state {{text}} NOT NULL CHECK (state IN ('open', 'complete', 'cancelled', 'expired')),
  created_at {{int}} NOT NULL,
  expires_at {{int}},
  ended_at {{int}},
  end_reason {{text}},
  reference {{text}},
  customer {{text}},
  note {{text}},
  metadata {{text}},
  words {{text}},
  customer_words {{text}},
  {{key}},
  FOREIGN KEY (workspace_id, pet_id) REFERENCES pets (workspace_id, id),
  CHECK ((state = 'open') = (ended_at IS NULL)),
  CHECK (state = 'open' OR expires_at IS NULL),
  CHECK (state IN ('cancelled', 'expired') OR end_reason IS NULL)
) {{rows}};
CREATE INDEX orders_by_pet ON orders (workspace_id, pet_id, state{{and_id}});
CREATE INDEX orders_by_state ON orders (workspace_id, state{{and_id}});
CREATE INDEX orders_by_ship_date ON orders (workspace_id, state, ship_date{{and_id}}) WHERE ship_date IS NOT NULL;
CREATE INDEX orders_by_reference ON orders (workspace_id, reference{{and_id}}) WHERE reference IS NOT NULL;
CREATE INDEX orders_due ON orders (expires_at, id) WHERE expires_at IS NOT NULL;
CREATE INDEX orders_due_by_pet ON orders (workspace_id, pet_id, expires_at{{and_id}}) WHERE expires_at IS NOT NULL;

-- The words of customers and references.
CREATE TABLE order_words (
  workspace_id {{int}} NOT NULL,
  word {{text}} NOT NULL,
  id {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, word, id)
) {{sorted}};

-- The ledger. Rows are added and never change, except that reversed_by names the row that takes one back.
CREATE TABLE movements (
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  id {{id}},
  pet_id {{int}} NOT NULL,
  cause {{text}} NOT NULL,
  quantity_before {{int}} NOT NULL,
  quantity_after {{int}} NOT NULL,
  reserved_before {{int}} NOT NULL,
  reserved_after {{int}} NOT NULL,
  order_id {{int}},
  reason {{text}},
  reference {{text}},
  key_id {{text}},
  at {{int}} NOT NULL,
  reverses {{int}},
  reversed_by {{int}},
  {{key}},
  FOREIGN KEY (workspace_id, pet_id) REFERENCES pets (workspace_id, id)
) {{rows}};
CREATE INDEX movements_by_pet ON movements (workspace_id, pet_id, at{{and_id}});
CREATE INDEX movements_by_time ON movements (workspace_id, at{{and_id}});

-- A claim has no response until the transaction that makes it stores one.
CREATE TABLE idempotency (
  workspace_id {{int}} NOT NULL,
  key {{text}} NOT NULL,
  fingerprint {{text}} NOT NULL,
  status {{int}},
  headers {{text}},
  body {{text}},
  created_at {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, key),
  CHECK ((status IS NULL) = (headers IS NULL) AND (status IS NULL) = (body IS NULL))
) {{rows}};
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- What the limiter has granted ahead of use: after a crash the service goes on from here.
CREATE TABLE limit_counters (
  workspace_id {{int}} PRIMARY KEY,
  minute_start {{int}} NOT NULL,
  minute_used {{int}} NOT NULL,
  day_start {{int}} NOT NULL,
  day_used {{int}} NOT NULL
) {{rows}};

-- A ban counts as repeated until a day has passed without a refusal since quiet_since. Like its key it is found by its id.
CREATE TABLE bans (
  key_id {{text}} PRIMARY KEY,
  workspace_id {{int}} NOT NULL,
  since {{int}} NOT NULL,
  until {{int}} NOT NULL,
  strikes {{int}} NOT NULL,
  quiet_since {{int}} NOT NULL
) {{rows}};
CREATE INDEX bans_by_end ON bans (until);
CREATE INDEX bans_by_workspace ON bans (workspace_id);

-- day counts UTC days since the epoch, minute counts minutes.
CREATE TABLE usage_days (
  workspace_id {{int}} NOT NULL,
  day {{int}} NOT NULL,
  key_id {{text}} NOT NULL,
  operation_id {{text}} NOT NULL,
  admitted {{int}} NOT NULL,
  refused {{int}} NOT NULL,
  failed {{int}} NOT NULL,
  last_at {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, day, key_id, operation_id)
) {{rows}};
CREATE INDEX usage_days_by_age ON usage_days (day);

-- requests counts admitted and refused ones together; refused counts those of them that were refused.
CREATE TABLE usage_minutes (
  workspace_id {{int}} NOT NULL,
  minute {{int}} NOT NULL,
  requests {{int}} NOT NULL,
  refused {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, minute)
) {{rows}};
CREATE INDEX usage_minutes_by_age ON usage_minutes (minute);

-- Requests that wrote or were refused. workspace_id is 0 for those without a valid key. A client may choose the id of its
-- request, and choose it twice, so entry tells rows apart. The address is that of a network.
CREATE TABLE request_log (
  workspace_id {{int}} NOT NULL,
  at {{int}} NOT NULL,
  entry {{text}} NOT NULL,
  id {{text}} NOT NULL,
  method {{text}} NOT NULL,
  route {{text}},
  path {{text}} NOT NULL,
  operation_id {{text}},
  status {{int}} NOT NULL,
  code {{text}},
  key_id {{text}},
  duration_us {{int}} NOT NULL,
  request_bytes {{int}} NOT NULL,
  response_bytes {{int}} NOT NULL,
  is_replay {{int}} NOT NULL CHECK (is_replay IN (0, 1)),
  via {{text}} NOT NULL,
  trace_id {{text}},
  address {{text}} NOT NULL,
  PRIMARY KEY (workspace_id, at, entry)
) {{sorted}};
CREATE INDEX request_log_by_id ON request_log (id, workspace_id, at, entry);

-- Who changed keys, sessions, plans, bans, webhooks and workspaces. Rows are added with the change; only addresses are
-- removed from them. workspace_id is 0 for what concerns no workspace. The fields are JSON.
CREATE TABLE audit_log (
  workspace_id {{int}} NOT NULL,
  id {{id}},
  at {{int}} NOT NULL,
  action {{text}} NOT NULL,
  actor_type {{text}} NOT NULL,
  actor_id {{text}},
  actor_name {{text}},
  target {{text}} NOT NULL,
  fields_before {{text}},
  fields_after {{text}},
  request_id {{text}},
  address {{text}},
  {{key}}
) {{rows}};
CREATE INDEX audit_log_by_workspace ON audit_log (workspace_id, at{{and_id}});
-- Of all rows. A list that does not say so cannot follow it from workspace to workspace.
CREATE INDEX audit_log_by_time ON audit_log (at{{and_id}}) WHERE id > 0;
CREATE INDEX audit_log_addresses ON audit_log (at) WHERE address IS NOT NULL;

-- The feed of each workspace. Its head is made with its first event.
CREATE TABLE event_heads (
  workspace_id {{int}} PRIMARY KEY,
  first_sequence {{int}} NOT NULL,
  last_sequence {{int}} NOT NULL
) {{rows}};

-- Committed and not yet numbered. SQLite numbers at once and leaves it empty. {{arrival}} is a number that the database
-- draws when the row is written. Events that name the same row of the ledger get consecutive numbers. The text lacks the id
-- and the number.
CREATE TABLE event_arrivals (
  workspace_id {{int}} NOT NULL,
  id {{arrival}},
  movement_id {{int}},
  at {{int}} NOT NULL,
  traceparent {{text}},
  text {{text}} NOT NULL,
  PRIMARY KEY (workspace_id, id)
) {{rows}};

-- Rows are added and, when they are old, removed; none ever changes. The text is the event as clients get it. The
-- instant is there for deletion by age; traceparent is where the change stands in a trace.
CREATE TABLE events (
  workspace_id {{int}} NOT NULL,
  sequence {{int}} NOT NULL,
  at {{int}} NOT NULL,
  traceparent {{text}},
  text {{text}} NOT NULL,
  PRIMARY KEY (workspace_id, sequence)
) {{sorted}};

-- What is emitted once a UTC day: that it was.
CREATE TABLE daily_events (
  workspace_id {{int}} NOT NULL,
  day {{int}} NOT NULL,
  name {{text}} NOT NULL,
  PRIMARY KEY (workspace_id, day, name)
) {{sorted}};
CREATE INDEX daily_events_by_age ON daily_events (day);

-- Webhooks read the feed from a cursor of their own. due_at is when a node must look at one; it is NULL while there is
-- nothing to do. A node that delivers for one holds its lease until leased_until: lease_number rises with every lease,
-- revision with every change of the owner that a delivery under way must not undo. cursor_revision is the revision from which
-- on the cursor of a delivery counts. While its workspace is not active, paused_at is set and it is not due.
CREATE TABLE webhooks (
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  id {{id}},
  url {{text}} NOT NULL,
  types {{text}} NOT NULL,
  description {{text}},
  batch_max {{int}} NOT NULL,
  per_second_max {{int}} NOT NULL,
  is_verified {{int}} NOT NULL CHECK (is_verified IN (0, 1)),
  state {{int}} NOT NULL CHECK (state BETWEEN 0 AND 3),
  state_reason {{text}},
  failures {{int}} NOT NULL,
  rejections {{int}} NOT NULL,
  failing_since {{int}},
  cursor {{int}} NOT NULL,
  batch_last {{int}},
  retry_at {{int}},
  due_at {{int}},
  paused_at {{int}},
  revision {{int}} NOT NULL,
  cursor_revision {{int}} NOT NULL,
  leased_until {{int}},
  lease_number {{int}} NOT NULL,
  secret {{text}} NOT NULL,
  secret_hint {{text}} NOT NULL,
  previous_secret {{text}},
  previous_until {{int}},
  created_at {{int}} NOT NULL,
  {{key}},
  CHECK ((state = 3) = (state_reason IS NOT NULL)),
  CHECK (state <> 3 OR due_at IS NULL)
) {{rows}};
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL AND paused_at IS NULL AND failures = 0;
CREATE INDEX webhooks_due_again ON webhooks (due_at) WHERE due_at IS NOT NULL AND paused_at IS NULL AND failures > 0;

CREATE TABLE webhook_parked (
  workspace_id {{int}} NOT NULL,
  webhook_id {{int}} NOT NULL,
  sequence {{int}} NOT NULL,
  attempts {{int}} NOT NULL,
  status {{int}},
  parked_at {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, webhook_id, sequence),
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id)
) {{rows}};

-- A ping carries no event, so it has no sequences. That of a verification is not one that the owner asked for.
CREATE TABLE webhook_attempts (
  workspace_id {{int}} NOT NULL,
  id {{id}},
  webhook_id {{int}} NOT NULL,
  first_sequence {{int}},
  last_sequence {{int}},
  is_verification {{int}} NOT NULL,
  attempt {{int}} NOT NULL,
  at {{int}} NOT NULL,
  duration_ms {{int}} NOT NULL,
  outcome {{text}} NOT NULL,
  status {{int}},
  excerpt {{text}},
  {{key}},
  FOREIGN KEY (workspace_id, webhook_id) REFERENCES webhooks (workspace_id, id)
) {{rows}};
CREATE INDEX webhook_attempts_by_webhook ON webhook_attempts (workspace_id, webhook_id{{and_id}});
CREATE INDEX webhook_attempts_by_age ON webhook_attempts (at);

-- One node at a time does a job that concerns all workspaces. Its lease names the node; number rises whenever the lease
-- changes hands or has ended, and what the job writes is refused under a lower one.
CREATE TABLE leases (
  name {{text}} PRIMARY KEY,
  holder {{text}} NOT NULL,
  number {{int}} NOT NULL,
  until {{int}} NOT NULL
) {{rows}};

-- What nodes keep in memory and must drop when it changes: kind and subject name it. Rows are read by id and by age.
CREATE TABLE changes (
  id {{directory_id}},
  workspace_id {{int}} NOT NULL,
  kind {{text}} NOT NULL,
  subject {{text}} NOT NULL,
  at {{int}} NOT NULL
) {{rows}};
CREATE INDEX changes_by_age ON changes (at);

-- The nodes that serve from this database. Each writes its row again every few seconds, by the clock of the database.
-- Nodes of one `counts_in` apply limits together; a node without it counts by itself.
CREATE TABLE nodes (
  id {{text}} PRIMARY KEY,
  started_at {{int}} NOT NULL,
  seen_at {{int}} NOT NULL,
  version {{text}} NOT NULL,
  state {{text}} NOT NULL,
  limiter {{text}} NOT NULL,
  counts_in {{int}},
  clock_skew_ms {{int}},
  requests_per_minute {{int}} NOT NULL,
  memory_bytes {{int}} NOT NULL
) {{rows}};
