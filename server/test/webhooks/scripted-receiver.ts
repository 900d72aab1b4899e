import { httpReceiver, type ReceivedRequest } from './receivers.ts';

/** The names of the events that requests carried, in their order. */
export function namesIn(requests: readonly ReceivedRequest[]): unknown[] {
  return requests.flatMap(({ body }) => {
    const { type, data } = JSON.parse(body);
    const events = type === 'events.batch' ? data.events : [{ data }];
    return events.map(
      (event: { data: { category?: { name: unknown } } }) => event.data.category?.name,
    );
  });
}

export const idsIn = (requests: readonly ReceivedRequest[]) =>
  requests.map(({ headers }) => headers['webhook-id']);

/** Answers as the test says; everything that was taken is in `taken`. */
export async function newReceiver() {
  const answers = { statusOf: (_: ReceivedRequest, __: number): number => 200, reply: '' };
  const taken: ReceivedRequest[] = [];
  const receiver = await httpReceiver((request, response) => {
    const status = answers.statusOf(request, receiver.received.length);
    if (status < 300) taken.push(request);
    response.writeHead(status).end(answers.reply);
  });
  return Object.assign(receiver, { answers, taken });
}
