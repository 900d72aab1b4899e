import type { Replay, Webhook } from '@petstore/client';
import { useState } from 'preact/hooks';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { ConfirmDialog } from '../../parts/form/confirm-dialog.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { say } from '../../ui/say.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { EventField, isNoEvent } from './redeliver-dialog.tsx';

const PLACES = ['0', 'other', 'latest'] as const;

/** Moves the webhook's place in the feed. */
export function ReplayDialog({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const [place, setPlace] = useState<string>('other');
  const [event, setEvent] = useState(webhook.cursor);
  const [isChecked, setChecked] = useState(false);
  const write = useWrite<Replay, Webhook>({
    operation: 'replayWebhook',
    send: (body, idempotencyKey) => store.webhooks.replay(webhook.id, body, { idempotencyKey }),
    onDone: ({ behind }) => say(words.replayed(behind)),
    goOn: onClose,
  });
  const body = { after: place === 'other' ? event.trim() : place };
  return (
    <ConfirmDialog
      title={words.replayTitle}
      action={words.replay}
      look="primary"
      write={isNoEvent(write) ? { ...write, error: undefined } : write}
      onConfirm={() => {
        setChecked(true);
        if (body.after !== '') write.run(body);
      }}
      onClose={onClose}
      curl={{ method: 'POST', path: `/webhooks/${webhook.id}/replay`, body }}
    >
      <p>{words.replayText}</p>
      <SelectField
        label={words.replayFrom}
        value={place}
        options={PLACES.map((each) => [each, words.replayPlaces[each]] as const)}
        onChange={setPlace}
      />
      {place === 'other' && (
        <EventField
          hint={words.replayEventHint}
          value={event}
          onInput={setEvent}
          write={write}
          isChecked={isChecked}
        />
      )}
    </ConfirmDialog>
  );
}
