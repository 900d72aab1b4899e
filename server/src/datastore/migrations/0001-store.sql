-- {{id}}, {{int}}, {{text}} and {{strict}} stand for what each engine calls an identity column, a 64-bit
-- integer, a text compared by code point, and a table that checks its types.

CREATE TABLE workspaces (
  id {{id}},
  name {{text}} NOT NULL,
  plan {{text}} NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute {{int}},
  per_day {{int}},
  created_at {{int}} NOT NULL,
  CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
  CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
) {{strict}};

CREATE TABLE api_keys (
  id {{text}} PRIMARY KEY,
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  digest {{text}} NOT NULL UNIQUE,
  name {{text}} NOT NULL,
  hint {{text}} NOT NULL,
  scopes {{text}} NOT NULL,
  created_at {{int}} NOT NULL,
  expires_at {{int}},
  last_used_at {{int}},
  revoked_at {{int}}
) {{strict}};
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id);

CREATE TABLE categories (
  id {{id}},
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  name {{text}} NOT NULL,
  name_key {{text}} NOT NULL,
  description {{text}},
  UNIQUE (workspace_id, name_key)
) {{strict}};
CREATE INDEX categories_by_id ON categories (workspace_id, id);

-- A deleted pet stays, hidden and without its category, because its orders and its ledger stay.
CREATE TABLE pets (
  id {{id}},
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  category_id {{int}} REFERENCES categories (id),
  name {{text}} NOT NULL,
  name_key {{text}} NOT NULL,
  quantity {{int}} NOT NULL CHECK (quantity BETWEEN 0 AND 1000000000),
  reserved {{int}} NOT NULL CHECK (reserved >= 0),
  held {{int}} NOT NULL CHECK (held IN (0, 1)),
  status {{int}} NOT NULL GENERATED ALWAYS AS (
    CASE WHEN quantity = 0 THEN 2 WHEN held = 1 OR quantity = reserved THEN 1 ELSE 0 END
  ) STORED,
  deleted_at {{int}},
  CHECK (reserved <= quantity),
  CHECK ((deleted_at IS NULL) = (category_id IS NOT NULL))
) {{strict}};
CREATE INDEX pets_by_id ON pets (workspace_id, id) WHERE deleted_at IS NULL;
CREATE INDEX pets_by_name ON pets (workspace_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX pets_by_name_key ON pets (workspace_id, name_key, id) WHERE deleted_at IS NULL;
CREATE INDEX pets_by_status ON pets (workspace_id, status, id) WHERE deleted_at IS NULL;
CREATE INDEX pets_by_category ON pets (category_id, id);

CREATE TABLE orders (
  id {{id}},
  workspace_id {{int}} NOT NULL REFERENCES workspaces (id),
  pet_id {{int}} NOT NULL REFERENCES pets (id),
  quantity {{int}} NOT NULL CHECK (quantity BETWEEN 1 AND 1000000),
  ship_date {{int}},
  complete {{int}} NOT NULL CHECK (complete IN (0, 1))
) {{strict}};
CREATE INDEX orders_by_id ON orders (workspace_id, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
CREATE INDEX orders_by_complete ON orders (workspace_id, complete, id);
CREATE INDEX orders_by_ship_date ON orders (workspace_id, ship_date, id) WHERE ship_date IS NOT NULL;

CREATE TABLE movements (
  id {{id}},
  pet_id {{int}} NOT NULL REFERENCES pets (id),
  cause {{text}} NOT NULL,
  quantity_before {{int}} NOT NULL,
  quantity_after {{int}} NOT NULL,
  reserved_before {{int}} NOT NULL,
  reserved_after {{int}} NOT NULL,
  order_id {{int}},
  reason {{text}},
  reference {{text}},
  key_id {{text}},
  at {{int}} NOT NULL
) {{strict}};
CREATE INDEX movements_by_pet ON movements (pet_id, id);

CREATE TABLE idempotency (
  workspace_id {{int}} NOT NULL,
  key {{text}} NOT NULL,
  fingerprint {{text}} NOT NULL,
  status {{int}} NOT NULL,
  headers {{text}} NOT NULL,
  body {{text}} NOT NULL,
  created_at {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, key)
) {{strict}};
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- What the limiter has granted ahead of use: after a crash the service goes on from here.
CREATE TABLE limit_counters (
  workspace_id {{int}} PRIMARY KEY,
  minute_start {{int}} NOT NULL,
  minute_used {{int}} NOT NULL,
  day_start {{int}} NOT NULL,
  day_used {{int}} NOT NULL
) {{strict}};

CREATE TABLE bans (
  key_id {{text}} PRIMARY KEY,
  workspace_id {{int}} NOT NULL,
  since {{int}} NOT NULL,
  until {{int}} NOT NULL,
  strikes {{int}} NOT NULL,
  last_refusal_at {{int}} NOT NULL
) {{strict}};
CREATE INDEX bans_by_end ON bans (until);
CREATE INDEX bans_by_workspace ON bans (workspace_id);

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
) {{strict}};
CREATE INDEX usage_days_by_age ON usage_days (day);

CREATE TABLE usage_minutes (
  workspace_id {{int}} NOT NULL,
  minute {{int}} NOT NULL,
  requests {{int}} NOT NULL,
  PRIMARY KEY (workspace_id, minute)
) {{strict}};
CREATE INDEX usage_minutes_by_age ON usage_minutes (minute);
