import type { Attempt, Redelivery } from '@petstore/client';
import { useState } from 'preact/hooks';
import { fieldErrors } from '../../api/errors.ts';
import { store } from '../../api/store.ts';
import { useWrite, type WriteStatus } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { TextField, type TextFieldProps } from '../../ui/fields/field.tsx';
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

/** Whether the service knows no event by what was typed. Its field says so. */
export const isNoEvent = ({ error }: WriteStatus) => {
  const { eventId, after } = fieldErrors(error);
  return (eventId ?? after) !== undefined;
};

interface EventFieldProps extends Pick<TextFieldProps, 'hint' | 'placeholder' | 'isFocused'> {
  value: string;
  onInput: (value: string) => void;
  write: WriteStatus;
  /** Whether the user has tried to send it. */
  isChecked: boolean;
}

/** The id or the number of an event. */
export function EventField({ write, isChecked, onInput, ...field }: EventFieldProps) {
  return (
    <TextField
      {...field}
      label={words.replayEvent}
      onInput={(text) => {
        write.reset();
        onInput(text);
      }}
      maxLength={100}
      error={
        (isChecked && field.value.trim() === '') || isNoEvent(write) ? words.needsEvent : undefined
      }
    />
  );
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
      write={isNoEvent(write) ? { ...write, error: undefined } : write}
      onConfirm={() => {
        setChecked(true);
        if (body.eventId !== '') write.run(body);
      }}
      onClose={onClose}
      curl={{ method: 'POST', path: `/webhooks/${webhookId}/deliveries`, body }}
    >
      <p>{words.redeliverText}</p>
      <EventField
        placeholder={words.eventPlaceholder}
        value={event}
        onInput={setEvent}
        write={write}
        isChecked={isChecked}
        isFocused
      />
    </ConfirmDialog>
  );
}
