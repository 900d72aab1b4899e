export interface Ban {
  /** When the ban was given. It never changes, so it identifies the ban. */
  since: number;
  /** 0 when the ban is over or was lifted. */
  until: number;
  /** Bans so far, this one included. */
  strikes: number;
  /** The last refusal, or the end of the ban that it led to, also if the ban was lifted. */
  quietSince: number;
}

export interface StoredBan extends Ban {
  keyId: string;
  workspaceId: number;
}
