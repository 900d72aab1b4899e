// The table of errors. Error responses, docs/errors.md and the contract are derived from it, so there are no other codes.

export interface ErrorEntry {
  status: number;
  /** What happened. The code that throws the Refusal can replace it by a more precise message. */
  message: string;
  /** What the client can do about it, for docs/errors.md. */
  remedy: string;
}

export const table = {
  invalid_request: {
    status: 400,
    message: 'The request is not valid.',
    remedy: 'Correct the fields named in `details` and send it again.',
  },
  malformed_json: {
    status: 400,
    message: 'The body is not valid JSON.',
    remedy: 'Send one JSON value in UTF-8.',
  },
  missing_api_key: {
    status: 401,
    message: 'An API key is required. Send it as `Authorization: Bearer <API_KEY>`.',
    remedy: 'Add the header; `petstore server keys create` makes a key.',
  },
  invalid_api_key: {
    status: 401,
    message: 'The API key is not valid: it is mistyped, unknown or revoked.',
    remedy: 'Check the key, or create a new one.',
  },
  expired_api_key: {
    status: 401,
    message: 'The API key has expired.',
    remedy: 'Use the key that replaced it, or create a new one.',
  },
  operator_only: {
    status: 403,
    message: 'Only the operator of the service can do this, through another operation.',
    remedy: 'Call the operation that the message names, with a key that has the scope `operate`.',
  },
  plan_by_operator: {
    status: 403,
    message: 'An owner may not leave or take this plan.',
    remedy: 'Ask the operator of the service, who calls `PATCH /admin/workspaces/{workspaceId}`.',
  },
  workspace_suspended: {
    status: 403,
    message: 'The workspace is suspended by the operator of the service.',
    remedy: 'Ask the operator, for the reason that `details.reason` gives. Nothing is lost.',
  },
  workspace_closing: {
    status: 403,
    message: 'The workspace is closed and can only be read.',
    remedy: 'Read what you need before `details.eraseAt`, or reopen the workspace.',
  },
  insufficient_scope: {
    status: 403,
    message: 'The API key lacks a scope that this operation needs.',
    remedy: 'Use a key with the scope that the message names.',
  },
  session_not_accepted: {
    status: 403,
    message: 'A session cannot open another session.',
    remedy: 'Send an API key as `Authorization: Bearer <API_KEY>`.',
  },
  origin_not_allowed: {
    status: 403,
    message: 'Pages of this origin may not send messages to /mcp.',
    remedy: 'Call it without a browser, or add the origin to `PETSTORE_CORS_ORIGINS`.',
  },
  not_found: {
    status: 404,
    message: 'There is nothing at this path.',
    remedy:
      'Check the path and the id; a deleted record is gone. Sign-up, webhooks and sessions are not found where the operator has not opened them.',
  },
  method_not_allowed: {
    status: 405,
    message: 'This path does not accept the method.',
    remedy: 'Use a method from the `Allow` header.',
  },
  not_acceptable: {
    status: 406,
    message: 'Responses are application/json, which the Accept header excludes.',
    remedy: 'Send `Accept: application/json`, or leave the header out.',
  },
  request_timeout: {
    status: 408,
    message: 'The request did not arrive in time.',
    remedy: 'Send it again, without pausing in the middle.',
  },
  category_name_taken: {
    status: 409,
    message: 'Another category has this name.',
    remedy: 'Choose another name; names that differ only in case are the same.',
  },
  reference_taken: {
    status: 409,
    message: 'Another pet has this reference.',
    remedy:
      'Choose another reference, or update the pet that `details.petId` names: `PUT /pets/by-reference/{reference}` does so.',
  },
  category_in_use: {
    status: 409,
    message: 'The category still has pets.',
    remedy: 'Move or delete its pets first.',
  },
  pet_has_open_orders: {
    status: 409,
    message: 'The pet has open orders.',
    remedy: 'Complete or cancel its orders first.',
  },
  invalid_status_change: {
    status: 409,
    message: 'The pet cannot change to this status now.',
    remedy: 'Look at its stock: a sold pet must be restocked, a fully reserved one is pending.',
  },
  below_reserved: {
    status: 409,
    message: 'The stock cannot be less than what open orders have reserved.',
    remedy: 'Cancel orders first, or set a count of at least `details.reserved`.',
  },
  stock_changed: {
    status: 409,
    message: 'The stock has changed since it was counted.',
    remedy: 'Count again. `details.quantity` is on hand now, and `details.movements` say why.',
  },
  not_reversible: {
    status: 409,
    message: 'This row of the ledger cannot be reversed.',
    remedy: 'Cancel the order that caused it, or adjust the stock.',
  },
  already_reversed: {
    status: 409,
    message: 'This row of the ledger was reversed before.',
    remedy: 'To restore it, reverse the row that `details.reversedBy` names.',
  },
  pet_on_hold: {
    status: 409,
    message: 'The pet is on hold and cannot be ordered.',
    remedy: 'Set its status to `available` first.',
  },
  insufficient_stock: {
    status: 409,
    message: 'There is not enough stock for this order.',
    remedy: 'Order at most `details.available`.',
  },
  order_complete: {
    status: 409,
    message: 'The order is complete and can no longer change.',
    remedy: 'Place a new order.',
  },
  order_ended: {
    status: 409,
    message: 'The order is cancelled or expired and can no longer change.',
    remedy: 'Place a new order.',
  },
  workspace_state: {
    status: 409,
    message: 'The workspace cannot change from its state to this one.',
    remedy: 'Look at `details.state`: reopen what is closing, resume what is suspended.',
  },
  operator_workspace: {
    status: 409,
    message: 'The workspace has an active key with the scope `operate`.',
    remedy: 'Revoke its keys with `operate` first, so that the service keeps an operator.',
  },
  last_manage_key: {
    status: 409,
    message: 'This is the last key of the workspace with the scope `manage` that does not expire.',
    remedy: 'Create another key with the scope `manage` and without `expiresAt` first.',
  },
  last_operate_key: {
    status: 409,
    message: 'This is the last key of the service with the scope `operate` that does not expire.',
    remedy:
      'Create another key with the scope `operate` and without `expiresAt` first, also with `petstore server keys create --scopes operate`.',
  },
  key_already_rotated: {
    status: 409,
    message: 'The key has already been rotated.',
    remedy: 'Use the key that replaced it, and rotate that one next time.',
  },
  cursor_unknown: {
    status: 409,
    message:
      'The feed does not have this cursor: it is beyond the end, or the store was restored from a backup.',
    remedy:
      'Read your records again and continue from `details.latest`, or continue from `details.oldest` with the events that are kept.',
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running.',
    remedy: 'Wait a moment and send the same request again.',
  },
  events_expired: {
    status: 410,
    message: 'The events after this cursor are no longer kept.',
    remedy:
      'Read your records again and continue from `details.latest`, or continue from `details.oldest` with the events that are kept.',
  },
  replay_required: {
    status: 409,
    message: 'The events after the cursor of the webhook are no longer kept.',
    remedy: 'Set a new cursor with `POST /webhooks/{webhookId}/replay`, then enable the webhook.',
  },
  webhook_limit_reached: {
    status: 409,
    message: 'The workspace has as many webhooks as its plan allows.',
    remedy: 'Delete one, or change to a larger plan.',
  },
  webhook_not_enabled: {
    status: 409,
    message: 'The webhook is disabled or its URL is not verified, so nothing is sent to it.',
    remedy: 'Enable it, or ping it until its URL has answered. Then send the event again.',
  },
  operation_sunset: {
    status: 410,
    message: 'This operation has been switched off.',
    remedy: 'Use the successor that the message names.',
  },
  precondition_failed: {
    status: 412,
    message: 'The record has changed since it was read.',
    remedy: 'Read it again and repeat the change with its new ETag.',
  },
  payload_too_large: {
    status: 413,
    message: 'The body is larger than 256 KiB.',
    remedy: 'Send less at once.',
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be JSON in UTF-8, not compressed.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  expectation_failed: {
    status: 417,
    message: 'The service supports no expectation but 100-continue.',
    remedy: 'Leave the Expect header out.',
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was used for another request.',
    remedy: 'Use a new key for a new request.',
  },
  rate_limit_exceeded: {
    status: 429,
    message: 'There were too many requests in this minute.',
    remedy: 'Wait for `Retry-After` seconds before the next request; back off exponentially.',
  },
  quota_exceeded: {
    status: 429,
    message: 'The requests of this day are used up.',
    remedy: 'Wait for `Retry-After` seconds, or change to a larger plan.',
  },
  key_banned: {
    status: 429,
    message: 'The API key is banned because it continued to send requests after 429.',
    remedy: 'Send no request with it until `details.until`.',
  },
  too_many_streams: {
    status: 429,
    message: 'Too many streams and waiting polls are open at once.',
    remedy: 'Close one of them, or share one stream; it carries all events of the workspace.',
  },
  too_many_redeliveries: {
    status: 429,
    message: 'Too many redeliveries to this webhook are under way at once.',
    remedy: 'Wait for `Retry-After` seconds: each of them ends within 15 seconds.',
  },
  too_many_exports: {
    status: 429,
    message: 'Too many workspaces are exported at once.',
    remedy: 'Wait for `Retry-After` seconds and try again: a node makes two exports at once.',
  },
  headers_too_large: {
    status: 431,
    message: 'The request head is too large.',
    remedy: 'Send at most 100 headers and 16 KiB of them.',
  },
  internal_error: {
    status: 500,
    message: 'The service failed. Its log has the cause under the request id.',
    remedy: 'Send it again with the same Idempotency-Key; report the request id if it persists.',
  },
  overloaded: {
    status: 503,
    message: 'The service is overloaded at the moment.',
    remedy: 'Wait for `Retry-After` seconds and send it again.',
  },
  unavailable: {
    status: 503,
    message: 'The service cannot reach its storage at the moment.',
    remedy: 'Wait for `Retry-After` seconds and send it again with the same Idempotency-Key.',
  },
} as const satisfies Record<string, ErrorEntry>;
