export interface Ban {
  /** When the ban was given. It never changes, so it identifies the ban. */
  since: number;
  /** When the ban ends. 0 once it was lifted. A limiter also sets it to 0 when the ban is over. */
  until: number;
  /** Bans so far, this one included. */
  strikes: number;
  /** When the key was last refused or, if that led to a ban, when the ban was to end. A lift does not change it. */
  quietSince: number;
}

export interface StoredBan extends Ban {
  keyId: string;
  workspaceId: number;
}
