import type { Attempt, Redelivery } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { outcomeText } from './webhook-state.tsx';

/** Sends one event again, now. */
export function useRedelivery(webhookId: number, onDone: () => void = () => {}) {
  return useWrite<Redelivery, Attempt>({
    operation: 'redeliverEvent',
    send: (body) => store.webhooks.redeliverEvent(webhookId, body),
    onDone: (attempt, { eventId }) => {
      if (attempt.outcome === 'delivered') say(words.redelivered(eventId));
      else say(words.redeliverFailed(eventId, outcomeText(attempt)), { tone: 'bad' });
    },
    goOn: onDone,
  });
}

export function RedeliverDialog({
  webhookId,
  onClose,
}: {
  webhookId: number;
  onClose: () => void;
}) {
  const [event, setEvent] = useState('');
  const [isChecked, setChecked] = useState(false);
  const write = useRedelivery(webhookId, onClose);
  const body = { eventId: event.trim() };
  return (
    <ConfirmDialog
      title={words.redeliverTitle}
      action={words.redeliverAction}
      look="primary"
      write={write}
      onConfirm={() => {
        setChecked(true);
        if (body.eventId !== '') write.run(body);
      }}
      onClose={onClose}
      curl={{ method: 'POST', path: `/webhooks/${webhookId}/deliveries`, body }}
    >
      <p>{words.redeliverText}</p>
      <TextField
        label={words.replayEvent}
        placeholder={words.eventPlaceholder}
        value={event}
        onInput={setEvent}
        maxLength={100}
        error={isChecked && body.eventId === '' ? words.needsEvent : undefined}
        isFocused
      />
    </ConfirmDialog>
  );
}
