-- When a key was rotated: a key can be rotated once. Orders placed before this migration have no created_at.
ALTER TABLE api_keys ADD COLUMN rotated_at {{int}};
ALTER TABLE orders ADD COLUMN created_at {{int}};
