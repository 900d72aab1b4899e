import type { Attempt, Webhook } from '@petstore/client';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { webhookWords as words } from '../../words/webhooks.ts';

const tones: Record<Webhook['state'], Tone> = {
  enabled: 'good',
  unverified: 'warn',
  failing: 'bad',
  disabled: 'neutral',
};

export function StateBadge({ state }: { state: Webhook['state'] }) {
  return <Badge tone={tones[state]}>{words.states[state]}</Badge>;
}

export function typesText(types: readonly string[]): string {
  return types.includes('*') ? words.all : types.join(', ');
}

export function lagText(behind: number): string {
  return behind === 0 ? words.upToDate : words.behind(behind);
}

export function outcomeText({ outcome, status }: Attempt): string {
  return status === undefined ? words.outcomes[outcome] : words.answered(status);
}
