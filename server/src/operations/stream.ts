export interface StreamedEvent {
  id: string;
  /** One line of JSON. */
  data: string;
}

export interface StreamBatch {
  events: readonly StreamedEvent[];
  /** The cursor after the last event that was examined; a filter may have skipped events after the last one sent. */
  cursor: string;
  /** Whether there is more to read at once. */
  hasMore: boolean;
}

/** What a stream sends. */
export interface StreamSource {
  /** The cursor at which it begins. A client that is cut off before its first event resumes from it. */
  readonly start: string;
  /** The events after those of the previous call. Returns an empty batch instead of waiting. */
  read(): Promise<StreamBatch>;
  /** Calls the listener when there may be something to read. */
  subscribe(listener: () => void): () => void;
  /** Whether the client may still have what is read. */
  isAllowed(): Promise<boolean>;
  /** Takes a slot among the open streams, or refuses; `onStop` is called when the node stops. Returns how to free it. */
  open(onStop: () => void): () => void;
}

/** A page of the feed: events that are text already, and the cursor after the last event that was examined. */
export interface FeedPage {
  events: readonly string[];
  cursor: string;
}
