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
