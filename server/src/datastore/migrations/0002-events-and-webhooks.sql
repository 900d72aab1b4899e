-- The feed of each workspace. {{keyed}} is a table that is stored in the order of its key; {{arrival}} is a number
-- that the database draws when the row is written.

-- Made with the first event of a workspace.
CREATE TABLE event_heads (
  workspace_id {{int}} PRIMARY KEY,
  first_sequence {{int}} NOT NULL,
  last_sequence {{int}} NOT NULL
) {{strict}};

-- Committed and not yet numbered. SQLite numbers at once and leaves it empty.
CREATE TABLE event_arrivals (
  workspace_id {{int}} NOT NULL,
  id {{arrival}},
  type {{int}} NOT NULL,
  movement_id {{int}},
  at {{int}} NOT NULL,
  key_id {{text}},
  data {{text}},
  PRIMARY KEY (workspace_id, id)
) {{strict}};

-- Rows are added and, when they are old, removed; none ever changes.
CREATE TABLE events (
  workspace_id {{int}} NOT NULL,
  sequence {{int}} NOT NULL,
  type {{int}} NOT NULL,
  movement_id {{int}},
  at {{int}} NOT NULL,
  key_id {{text}},
  data {{text}},
  PRIMARY KEY (workspace_id, sequence)
) {{keyed}};

-- What is emitted once a UTC day: that it was.
CREATE TABLE daily_events (
  workspace_id {{int}} NOT NULL,
  day {{int}} NOT NULL,
  name {{text}} NOT NULL,
  PRIMARY KEY (workspace_id, day, name)
) {{keyed}};

ALTER TABLE workspaces ADD COLUMN low_stock_at {{int}};

-- When a key was rotated: a key can be rotated once. Orders placed before this migration have no created_at.
ALTER TABLE api_keys ADD COLUMN rotated_at {{int}};
ALTER TABLE orders ADD COLUMN created_at {{int}};

-- Webhooks read the feed from a cursor of their own. A node that delivers for one holds its lease: lease_number
-- rises with every claim, revision with every change of the owner that a delivery under way must not undo.

CREATE TABLE webhooks (
  id {{id}},
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
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
  retry_at {{int}} NOT NULL,
  due_at {{int}} NOT NULL,
  revision {{int}} NOT NULL,
  lease_until {{int}} NOT NULL,
  lease_number {{int}} NOT NULL,
  secret {{text}} NOT NULL,
  secret_hint {{text}} NOT NULL,
  previous_secret {{text}},
  previous_until {{int}},
  created_at {{int}} NOT NULL,
  CHECK ((state = 3) = (state_reason IS NOT NULL))
) {{strict}};
CREATE INDEX webhooks_by_workspace ON webhooks (workspace_id, id);

CREATE TABLE webhook_parked (
  webhook_id {{int}} NOT NULL REFERENCES webhooks (id),
  sequence {{int}} NOT NULL,
  attempts {{int}} NOT NULL,
  status {{int}},
  parked_at {{int}} NOT NULL,
  PRIMARY KEY (webhook_id, sequence)
) {{strict}};

-- A ping carries no event, so it has no sequences.
CREATE TABLE webhook_attempts (
  id {{id}},
  webhook_id {{int}} NOT NULL REFERENCES webhooks (id),
  first_sequence {{int}},
  last_sequence {{int}},
  attempt {{int}} NOT NULL,
  at {{int}} NOT NULL,
  duration_ms {{int}} NOT NULL,
  outcome {{text}} NOT NULL,
  status {{int}},
  excerpt {{text}}
) {{strict}};
CREATE INDEX webhook_attempts_by_webhook ON webhook_attempts (webhook_id, id);
CREATE INDEX webhook_attempts_by_age ON webhook_attempts (at);
