// Faults that somebody could make, each small enough to be overlooked in a review, and the tests that must see it.

export interface Bug {
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Under server/test. */
  tests: readonly string[];
}

export const bugs: readonly Bug[] = [
  {
    name: 'a refused unit of work is not rolled back to its savepoint',
    file: 'server/src/datastore/sqlite.ts',
    find: 'this.#mark(this.#rollbackTo);',
    replace: '',
    tests: ['datastore/sqlite.test.ts'],
  },
  {
    name: 'commits are not flushed to the disk',
    file: 'server/src/datastore/sqlite.ts',
    find: "db.pragma('synchronous = FULL')",
    replace: "db.pragma('synchronous = NORMAL')",
    tests: ['survival/durable.test.ts'],
  },
  {
    name: 'writes are answered before they are committed',
    file: 'server/src/datastore/sqlite.ts',
    find: 'return () => unit.resolve(value);',
    replace: 'unit.resolve(value);\n      return () => undefined;',
    tests: ['datastore/sqlite.test.ts', 'survival/durable.test.ts', 'survival/full-disk.test.ts'],
  },
  {
    name: 'a minute lasts a millisecond too long',
    file: 'server/src/limits/window.ts',
    find: 'return now >= counters.minuteStart + MINUTE_MS;',
    replace: 'return now > counters.minuteStart + MINUTE_MS;',
    tests: ['limits/window.test.ts', 'account/windows.test.ts'],
  },
  {
    name: 'one request more than the limit is admitted',
    file: 'server/src/limits/window.ts',
    find: 'minuteUsedAt(counters, now) + cost > limits.perMinute',
    replace: 'minuteUsedAt(counters, now) + cost > limits.perMinute + 1',
    tests: ['account/windows.test.ts'],
  },
  {
    name: 'a key is banned after 29 refusals',
    file: 'server/src/limits/ban.ts',
    find: 'policy.refusalsToBan - countRefusal(offender, now)',
    replace: 'policy.refusalsToBan - 1 - countRefusal(offender, now)',
    tests: ['account/bans.test.ts'],
  },
  {
    name: 'Retry-After is a second early',
    file: 'server/src/api/rate-headers.ts',
    find: 'Math.max(1, Math.ceil((retryAt - now) / 1000))',
    replace: 'Math.max(1, Math.floor((retryAt - now) / 1000))',
    tests: ['account/rate-headers.test.ts', 'account/windows.test.ts', 'account/bans.test.ts'],
  },
  {
    name: 'counters are used before they are written, so that a crash gives requests back',
    file: 'server/src/limits/memory.ts',
    find: 'if (!isCovered(state.counters, state.granted, cost) && !this.#isStoreFailing) {',
    replace: 'if (cost < 0) {',
    tests: ['account/crash.test.ts', 'limits/persistence.test.ts'],
  },
  {
    name: 'the numbers are missing on 405',
    file: 'server/src/api/hooks/limit.ts',
    find: 'state.headers.push(...rateHeaders(verdict));\n  return',
    replace: 'if (!state.allow) state.headers.push(...rateHeaders(verdict));\n  return',
    tests: ['api/http-edge.test.ts', 'fuzz/fuzz.test.ts'],
  },
  {
    name: 'the scope of a key is not checked',
    file: 'server/src/api/hooks/authorise.ts',
    find: '!caller.scopes.includes(operation.scope)',
    replace: 'caller.scopes.length === 0',
    tests: ['api/every-operation.test.ts'],
  },
  {
    name: 'an order of another workspace can be read',
    file: 'server/src/datastore/orders.ts',
    find: 'WHERE id = $1 AND workspace_id = $2`;',
    replace: 'WHERE id = $1 AND $2 > 0`;',
    tests: ['api/every-operation.test.ts', 'store/get-order.test.ts'],
  },
  {
    name: 'a revoked key is still accepted',
    file: 'server/src/services/key-ring.ts',
    find: '= credential.isRevoked',
    replace: '= credential.isRevoked && now < 0',
    tests: ['account/revoke-key.test.ts'],
  },
  {
    name: 'a key may grant scopes that it lacks',
    file: 'server/src/services/keys.ts',
    find: 'if (lacking.length === 0) return;',
    replace: 'if (lacking.length >= 0) return;',
    tests: ['account/keys.test.ts'],
  },
  {
    name: 'the replay of a creation shows the key again',
    file: 'server/src/api/keys/create-key.ts',
    find: 'storable: withoutSecret,',
    replace: '',
    tests: ['account/keys.test.ts', 'account/secrets-at-rest.test.ts'],
  },
  {
    name: 'the log holds the key',
    file: 'server/src/api/hooks/finish.ts',
    find: 'keyId: caller?.keyId,\n',
    replace: 'keyId: request.headers.authorization,\n',
    tests: ['process/logs.test.ts'],
  },
  {
    name: 'placing an order writes no ledger row',
    file: 'server/src/datastore/orders.ts',
    find: 'await this.runner.run(record, [petId, cause, ...before, id, why.keyId, why.at]);',
    replace: 'void [before, record];',
    tests: ['store/list-movements.test.ts', 'store/place-order.test.ts'],
  },
  {
    name: 'an order is not held against what is available',
    file: 'server/src/datastore/orders.ts',
    find: 'AND quantity - reserved >= CAST',
    replace: 'AND quantity >= CAST',
    tests: ['store/place-order.test.ts', 'store/rule-table.test.ts'],
  },
  {
    name: 'an order can be cancelled twice',
    file: 'server/src/services/orders.ts',
    find: "if (!(await tx.orders.delete(caller.workspaceId, id))) throw new Conflict('order changed');\n",
    replace: '',
    tests: ['store/cancel-order.test.ts'],
  },
  {
    name: 'the answer under an Idempotency-Key is stored after the commit',
    file: 'server/src/api/write.ts',
    find: 'await tx.idempotency.store(workspaceId, key, write.storable(answer));',
    replace:
      'setImmediate(() => void this.#store.transact((other) => other.idempotency.store(workspaceId, key, write.storable(answer))));',
    tests: ['api/idempotency.test.ts', 'fuzz/idempotency-commit.test.ts'],
  },
  {
    name: 'the effect of a refused write under an Idempotency-Key is kept',
    file: 'server/src/api/write.ts',
    find: 'return await tx.attempt(() => write.run(tx));',
    replace: 'return await write.run(tx);',
    tests: ['api/idempotency.test.ts', 'fuzz/idempotency-commit.test.ts'],
  },
  {
    name: 'If-Match is ignored',
    file: 'server/src/api/route.ts',
    find: 'if (ifMatch !== undefined && !isMatched(ifMatch, etagOf(serialiseMatch!(record)))) {',
    replace: "if (ifMatch === '' && isMatched(ifMatch, etagOf(serialiseMatch!(record)))) {",
    tests: ['api/every-operation.test.ts'],
  },
  {
    name: 'a cursor is not bound to its filters',
    file: 'server/src/api/route.ts',
    find: 'return JSON.stringify([operation.id, sort, sorted]);',
    replace: 'return JSON.stringify([operation.id, sort, sorted.length * 0]);',
    tests: ['api/paging.test.ts'],
  },
  {
    name: 'an id above 2^53 is rounded to its neighbour',
    file: 'server/src/api/params.ts',
    find: 'return Number.isSafeInteger(id) ? id : NO_ID;',
    replace: 'return id;',
    tests: ['api/get-pet.test.ts', 'fuzz/huge-ids.test.ts'],
  },
  {
    name: 'an unknown query parameter is ignored',
    file: 'server/src/api/params.ts',
    find: "if (!param) throw invalidField(name, 'is not a parameter of this operation');",
    replace: 'if (!param) continue;',
    tests: ['api/every-operation.test.ts', 'fuzz/fuzz.test.ts'],
  },
  {
    name: 'of two equal keys in a body the last counts',
    file: 'server/src/lib/strict-json.ts',
    find: "if (seen.has(key)) throw new ForbiddenJson(key, 'appears twice in one object');\n",
    replace: '',
    tests: ['lib/strict-json.test.ts', 'fuzz/fuzz.test.ts'],
  },
  {
    name: '__proto__ is taken for a field like any other',
    file: 'server/src/lib/strict-json.ts',
    find: "new Set(['__proto__', 'constructor', 'prototype'])",
    replace: "new Set(['constructor', 'prototype'])",
    tests: ['lib/strict-json.test.ts'],
  },
  {
    name: 'a 500 shows where it happened',
    file: 'server/src/api/error-reply.ts',
    find: "new Refusal(isClientFault(err) ? 'invalid_request' : 'internal_error')",
    replace:
      "new Refusal(isClientFault(err) ? 'invalid_request' : 'internal_error', { message: String((err as Error).stack) })",
    tests: ['api/internal-errors.test.ts'],
  },
  {
    name: 'an operation goes on after its sunset',
    file: 'server/src/api/lifecycle.ts',
    find: 'return now >= instantsOf(deprecation).endsAt;',
    replace: 'return now > instantsOf(deprecation).endsAt + 86_400_000;',
    tests: ['api/lifecycle.test.ts'],
  },
  {
    name: 'no request is ever turned away',
    file: 'server/src/api/hooks/shed-load.ts',
    find: 'return this.running >= Workload.runningMax;',
    replace: 'return this.running < 0;',
    tests: ['overload/full-of-work.test.ts'],
  },
  {
    name: 'all requests of a connection are started at once',
    file: 'server/src/api/one-at-a-time.ts',
    find: 'if (last.writableFinished) handle();',
    replace: 'if (last.writableFinished || line.waiting === 0) handle();',
    tests: ['overload/slow-clients.test.ts'],
  },
  {
    name: 'readers see a state from before the last commit',
    file: 'server/src/datastore/sqlite.ts',
    find: '      turn.end();\n',
    replace: '',
    tests: ['datastore/sqlite.test.ts'],
  },
];
