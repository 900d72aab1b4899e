/** The noun of an operation: its group in the contract and in the client. */
export type Tag =
  | 'animals'
  | 'categories'
  | 'inventory'
  | 'orders'
  | 'workspace'
  | 'keys'
  | 'session'
  | 'usage'
  | 'admin'
  | 'webhooks'
  | 'events'
  | 'requests'
  | 'audit';
