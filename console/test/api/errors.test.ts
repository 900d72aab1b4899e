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
  const gone = 'This no longer exists. Someone may have deleted it.';
  expect(errorText(err)).toBe(gone);
  expect(fieldErrors(err)).toEqual({ categoryId: gone });
});
