import { PetstoreError } from '@petstore/client';
import { expect, test } from 'vitest';
import { errorText, fieldErrors } from '../../src/api/errors.ts';

test('a record that is gone is said to be gone, not which field named it', () => {
  const message = 'names no category of this workspace';
  const err = new PetstoreError({
    code: 'validation_failed',
    status: 400,
    message: `categoryId ${message}.`,
    details: [{ field: 'categoryId', message }],
  });
  const gone = 'This category no longer exists. Someone may have deleted it.';
  expect(errorText(err)).toBe(gone);
  expect(fieldErrors(err)).toEqual({ categoryId: gone });
});

test('the lines of an order that cannot be placed are named', () => {
  const message = 'names no pet of this workspace';
  const details = [1, 3].map((line) => ({ field: `orders.${line}.petId`, message }));
  const err = new PetstoreError({
    code: 'invalid_request',
    status: 400,
    message: `orders.1.petId ${message}; nothing was changed.`,
    details,
  });
  expect(errorText(err)).toBe('Line 2, 4: This pet no longer exists. Someone may have deleted it.');
  const held = { code: 'pet_on_hold', status: 409, message: 'orders.0: On hold.' } as const;
  expect(errorText(new PetstoreError({ ...held, details: { index: 0, petId: 7 } }))).toMatch(
    /^Line 1: This pet is on hold/,
  );
});

test('what is wrong with a field that all lines of an order share is said at that field', () => {
  const message = 'must not contain control characters';
  const details = [0, 1].map((line) => ({ field: `orders.${line}.customer`, message }));
  const err = new PetstoreError({ code: 'invalid_request', status: 400, message: '', details });
  expect(fieldErrors(err)).toEqual({ customer: message });
});
