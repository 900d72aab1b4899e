export interface StreamBatch {
  /** Each is an event as it is sent, ending with an empty line. */
  blocks: readonly string[];
  /** The id of the last of them. */
  lastId: string | undefined;
  /** The place up to which was looked, which the filter may have moved past the last of them. */
  cursor: string;
  /** Whether there is more to read at once. */
  hasMore: boolean;
}

/** What a stream sends. */
export interface StreamSource {
  /** The place at which it begins. A client that was cut off before its first event comes back with it. */
  readonly start: string;
  /** The events behind those of the call before; returns an empty batch instead of waiting for some. */
  read(): Promise<StreamBatch>;
  /** Calls the listener when there may be something to read. */
  subscribe(listener: () => void): () => void;
  /** Whether the client may still have what is read. */
  isAllowed(): Promise<boolean>;
  /** Takes a place among the open streams, or refuses; `onStop` is called when the node stops. Returns how to give it back. */
  open(onStop: () => void): () => void;
}

/** A page of the feed: events that are text already, and the place up to which was looked. */
export interface FeedPage {
  events: readonly string[];
  cursor: string;
}
