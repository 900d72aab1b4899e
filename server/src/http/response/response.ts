/** A response before it is sent: headers in lower case, a body that is already text. */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}
