import { jsonObject, type PetstoreError } from '../errors.ts';

const copies = new WeakMap<Response, Response>();

/** `fetch` for a connection. It keeps a copy of each refusal, of which an error of the client has only some fields. */
export async function fetchKeepingRefusals(
  ...request: Parameters<typeof fetch>
): Promise<Response> {
  const response = await fetch(...request);
  if (!response.ok) copies.set(response, response.clone());
  return response;
}

/** The Error object as the service sent it; undefined if there was no response, or it had none. */
export async function errorBodyOf({
  code,
  response,
}: PetstoreError): Promise<PetstoreError | undefined> {
  const text = await (response && copies.get(response))?.text().catch(() => undefined);
  const body = jsonObject(text ?? '') as PetstoreError | null;
  return body?.code === code ? body : undefined;
}
