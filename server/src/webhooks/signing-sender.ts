import { createHmac, randomBytes } from 'node:crypto';
import type { AttemptRecord, Failure } from '../domain/delivery.ts';
import { type SealedSecrets, secretsInForce, type WebhookRecord } from '../domain/webhook.ts';
import { formatInstant } from '../lib/instant.ts';
import type { SecretBox } from '../lib/secret-box.ts';
import { CONTROL } from '../lib/text.ts';
import { formatTraceParent, parseTraceParent, type TraceParent } from '../lib/traceparent.ts';
import { webhookSecretBytes } from '../lib/webhook-secret.ts';
import type { Agents, Sender, SendResult } from './sender.ts';

/** What one request carries. */
export interface Message {
  id: string;
  body: string;
  /** The events in it; absent for a ping. */
  firstSequence?: number;
  lastSequence?: number;
  isVerification?: boolean;
  /** The place in a trace of the change that it reports; absent if that is part of none. */
  traceparent?: string;
  /** A text that the response must contain. */
  challenge?: string;
}

interface DeliveryRequest {
  webhook: Pick<WebhookRecord, 'id' | 'workspaceId' | 'url'>;
  secrets: SealedSecrets;
  message: Message;
  /** Which try it is. */
  attempt: number;
  /** The instant of this attempt. */
  at: number;
  agents: Agents;
}

export interface DeliveryResult {
  attempt: Omit<AttemptRecord, 'id'>;
  /** Absent when the message was delivered. */
  failure?: Failure;
}

/** Starts a delivery within its trace. Returns the place that the receiver continues from, if there is any. */
export type StartDelivery = (parent: TraceParent | undefined) => {
  place: TraceParent | undefined;
  end: (outcome: string) => void;
};

const untraced: StartDelivery = (place) => ({ place, end: () => undefined });

export type Verification = 'ping' | 'challenge' | 'none';

const EXCERPT_LENGTH = 500;
const CONTROLS = new RegExp(`[${CONTROL}]+`, 'g');
const USER_AGENT = 'petstore-webhooks/1';

/** The context under which the secrets of a webhook are sealed. */
export function sealContext(workspaceId: number): string {
  return `webhooks of workspace ${workspaceId}`;
}

/** Signs and sends. Pings, deliveries and redeliveries all pass through here, so a ping that arrives proves the path. */
export class SigningSender {
  readonly #sender: Sender;
  readonly #box: SecretBox;
  readonly #onAttempt: (attempt: DeliveryResult['attempt']) => void;
  readonly #start: StartDelivery;

  constructor(
    sender: Sender,
    box: SecretBox,
    onAttempt: (attempt: DeliveryResult['attempt']) => void = () => undefined,
    start: StartDelivery = untraced,
  ) {
    this.#sender = sender;
    this.#box = box;
    this.#onAttempt = onAttempt;
    this.#start = start;
  }

  async deliver({
    webhook,
    secrets,
    message,
    attempt,
    at,
    agents,
  }: DeliveryRequest): Promise<DeliveryResult> {
    const { id, body, firstSequence, lastSequence, isVerification = false } = message;
    const context = sealContext(webhook.workspaceId);
    const opened = secretsInForce(secrets, at).map((sealed) => this.#box.open(sealed, context));
    const { place, end } = this.#start(
      message.traceparent === undefined ? undefined : parseTraceParent(message.traceparent),
    );
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...(place ? { traceparent: formatTraceParent(place) } : {}),
      ...signatureHeaders({ id, body, at }, opened),
    };
    const result = await this.#sender.send({ url: webhook.url, headers, body, agents });
    const failure = failureOf(result, message.challenge);
    end(failure?.outcome ?? 'delivered');
    const { durationMs, status, responseBody } = result;
    const excerpt = failure && responseBody ? excerptOf(responseBody) : '';
    const made = {
      ...(firstSequence === undefined ? {} : { firstSequence }),
      ...(lastSequence === undefined ? {} : { lastSequence }),
      isVerification,
      attempt,
      at,
      durationMs,
      outcome: failure?.outcome ?? ('delivered' as const),
      ...(status === undefined ? {} : { status }),
      ...(excerpt === '' ? {} : { excerpt }),
    };
    this.#onAttempt(made);
    return { attempt: made, ...(failure ? { failure } : {}) };
  }
}

export function pingMessage(webhookId: number, at: number, verification: Verification): Message {
  const challenge =
    verification === 'challenge' ? randomBytes(24).toString('base64url') : undefined;
  const data = { webhookId, ...(challenge === undefined ? {} : { challenge }) };
  return {
    id: `ping_${randomBytes(12).toString('base64url')}`,
    body: JSON.stringify({ type: 'ping', timestamp: formatInstant(at), data }),
    ...(challenge === undefined ? {} : { challenge }),
  };
}

function failureOf(result: SendResult, challenge: string | undefined): Failure | undefined {
  const { outcome, status, retryAfterMs, responseBody = '' } = result;
  if (outcome === 'delivered') {
    const isAnswered = challenge === undefined || responseBody.includes(challenge);
    return isAnswered
      ? undefined
      : { outcome: 'status', ...(status === undefined ? {} : { status }) };
  }
  return {
    outcome,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Text that any database and any terminal takes. */
function excerptOf(responseBody: string): string {
  const text = responseBody.slice(0, EXCERPT_LENGTH).toWellFormed();
  return text.replaceAll(CONTROLS, ' ').trim();
}

// Signatures as Standard Webhooks 1.0 defines them (https://www.standardwebhooks.com).
interface SignedMessage {
  /** Stays the same on every retry, so receivers can tell a repetition. */
  id: string;
  /** The very text that is sent: receivers check the bytes before they parse them. */
  body: string;
  /** When this attempt is made, in epoch milliseconds. */
  at: number;
}

interface SignatureHeaders {
  'webhook-id': string;
  'webhook-timestamp': string;
  'webhook-signature': string;
}

/** Signs with every secret in force, so receivers that know any one of them accept the message. */
export function signatureHeaders(
  { id, body, at }: SignedMessage,
  secrets: readonly string[],
): SignatureHeaders {
  const timestamp = String(Math.floor(at / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(signed, secret)).join(' '),
  };
}

function signatureOf(signed: string, secret: string): string {
  const key = webhookSecretBytes(secret);
  if (!key) throw new Error('a signing secret is not well-formed');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
