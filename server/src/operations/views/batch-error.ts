import type { Refusal } from '../../domain/errors.ts';

export function batchErrorView({ code, message, details }: Refusal) {
  return { code, message, ...(details === undefined ? {} : { details }) };
}
