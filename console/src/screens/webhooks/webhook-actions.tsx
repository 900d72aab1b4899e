import type { Attempt, Webhook, WithResponse } from '@petstore/client';
import { useState } from 'preact/hooks';
import { scopeReason } from '../../api/session.ts';
import { store } from '../../api/store.ts';
import { useWrite } from '../../api/write.ts';
import { WriteState } from '../../parts/form/write-state.tsx';
import { BASE, navigate } from '../../router.ts';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/say.ts';
import { webhookWords as words } from '../../words/webhooks.ts';
import { DeleteWebhookDialog } from './delete-webhook-dialog.tsx';
import { EditWebhookDialog } from './edit-webhook-dialog.tsx';
import { RedeliverDialog } from './redeliver-dialog.tsx';
import { ReplayDialog } from './replay-dialog.tsx';
import { RotateSecretDialog } from './rotate-secret-dialog.tsx';
import { WebhookSecretDialog } from './webhook-secret-dialog.tsx';
import { outcomeText } from './webhook-state.tsx';

type Step = 'edit' | 'replay' | 'redeliver' | 'rotate' | 'delete';

export function WebhookActions({ opened }: { opened: WithResponse<Webhook> }) {
  const webhook = opened.data;
  const [step, setStep] = useState<Step | undefined>(undefined);
  const [rotated, setRotated] = useState<Webhook | undefined>(undefined);
  const close = () => setStep(undefined);
  const ping = usePing(webhook.id);
  const state = useSwitch(webhook.id);
  const isOff = webhook.state === 'disabled';
  const offReason = scopeReason('manage');
  return (
    <>
      <div class="actions">
        <Button
          icon="send"
          offReason={offReason}
          isBusy={ping.state !== 'idle'}
          onClick={() => ping.run(webhook.id)}
        >
          {words.ping}
        </Button>
        <Button
          icon={isOff ? 'play' : 'pause'}
          offReason={offReason}
          isBusy={state.state !== 'idle'}
          onClick={() => state.run(isOff ? 'enabled' : 'disabled')}
        >
          {!isOff ? words.pause : webhook.stateReason === 'by_owner' ? words.resume : words.enable}
        </Button>
        <Button icon="history" offReason={offReason} onClick={() => setStep('replay')}>
          {words.replay}
        </Button>
        <Button icon="rotate-ccw" offReason={offReason} onClick={() => setStep('redeliver')}>
          {words.redeliver}
        </Button>
        <Button icon="refresh-cw" offReason={offReason} onClick={() => setStep('rotate')}>
          {words.rotate}
        </Button>
        <Button icon="pencil" offReason={offReason} onClick={() => setStep('edit')}>
          {words.edit}
        </Button>
        <Button
          icon="trash-2"
          look="danger"
          offReason={offReason}
          onClick={() => setStep('delete')}
        >
          {words.remove}
        </Button>
      </div>
      <WriteState write={ping} />
      <WriteState write={state} />
      {step === 'edit' && <EditWebhookDialog opened={opened} onClose={close} />}
      {step === 'replay' && <ReplayDialog webhook={webhook} onClose={close} />}
      {step === 'redeliver' && <RedeliverDialog webhookId={webhook.id} onClose={close} />}
      {step === 'rotate' && (
        <RotateSecretDialog
          webhook={webhook}
          onDone={(done) => {
            close();
            setRotated(done);
          }}
          onClose={close}
        />
      )}
      {step === 'delete' && (
        <DeleteWebhookDialog
          webhook={webhook}
          onDone={() => navigate(`${BASE}/webhooks`, { replace: true })}
          onClose={close}
        />
      )}
      {rotated && <WebhookSecretDialog webhook={rotated} onClose={() => setRotated(undefined)} />}
    </>
  );
}

/** A ping is sent now and shows what became of it. */
function usePing(webhookId: number) {
  return useWrite<number, Attempt>({
    operation: 'pingWebhook',
    send: () => store.webhooks.ping(webhookId),
    onDone: (attempt) => {
      if (attempt.outcome === 'delivered') say(words.pinged(outcomeText(attempt)));
      else say(words.pingFailed(outcomeText(attempt)), { tone: 'bad' });
    },
  });
}

function useSwitch(webhookId: number) {
  return useWrite<'enabled' | 'disabled', Webhook>({
    operation: 'updateWebhook',
    send: (state, idempotencyKey) =>
      store.webhooks.update(webhookId, { state }, { idempotencyKey }),
    onDone: (_, state) => say(state === 'enabled' ? words.resumed : words.paused),
  });
}
