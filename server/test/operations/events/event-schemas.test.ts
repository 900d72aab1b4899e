import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { eventTypeNames } from '../../../src/domain/event.ts';
import { exampleEvents } from '../../../src/operations/schemas/event.ts';
import { contract } from '../../support/contract.ts';

const ajv = new Ajv({ strict: false });
ajv.addFormat('int64', true);
ajv.addFormat('date-time', true);
ajv.addFormat('date', true);
ajv.addSchema(contract, 'contract');
const isEvent = ajv.compile({ $ref: 'contract#/components/schemas/Event' });

describe('the schema of an event', () => {
  it.each(eventTypeNames)('fits the example of %s', (type) => {
    const example = exampleEvents[type];
    expect(example.type).toBe(type);
    expect(isEvent(example), ajv.errorsText(isEvent.errors)).toBe(true);
    expect(isEvent({ ...example, data: {} })).toBe(false);
    expect(isEvent({ ...example, type: 'pet.eaten' })).toBe(false);
  });
});
