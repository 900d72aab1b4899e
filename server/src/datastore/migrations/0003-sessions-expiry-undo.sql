-- {{add}} and {{concurrently}} stand for what lets PostgreSQL run a part again and build an index while others write.

-- part: batches of movements if EXISTS (SELECT 1 FROM orders WHERE created_at IS NULL)
-- The ledger knows when the orders from before version 2 were placed: its first row of an order says so. Batches come
-- in the order of the ledger, so a later batch finds the creation time set.
UPDATE orders SET created_at = movements.at
FROM movements
WHERE movements.id IN (
    SELECT MIN(id) FROM movements WHERE id > $1 AND id <= $2 AND order_id IS NOT NULL GROUP BY order_id
  )
  AND orders.id = movements.order_id AND orders.created_at IS NULL;

-- part: statements
-- A session of the console is a key with a parent. It ends with its parent.
ALTER TABLE api_keys {{add}} parent_id {{text}};
CREATE INDEX {{concurrently}} IF NOT EXISTS api_keys_by_parent ON api_keys (parent_id) WHERE parent_id IS NOT NULL;

-- requests counts admitted and refused ones together; refused counts those of them that were refused.
ALTER TABLE usage_minutes {{add}} refused {{int}} NOT NULL DEFAULT 0;

-- An open order with expires_at is cancelled when its time has come.
ALTER TABLE orders {{add}} expires_at {{int}};
CREATE INDEX {{concurrently}} IF NOT EXISTS orders_by_expiry ON orders (expires_at) WHERE expires_at IS NOT NULL;

-- The movement that this one takes back. A movement is taken back once.
ALTER TABLE movements {{add}} reverses {{int}};
CREATE UNIQUE INDEX {{concurrently}} IF NOT EXISTS movements_by_reversed ON movements (reverses)
  WHERE reverses IS NOT NULL;

-- Stock as of a moment shows pets that were deleted since.
CREATE INDEX {{concurrently}} IF NOT EXISTS pets_deleted ON pets (workspace_id, id) WHERE deleted_at IS NOT NULL;
