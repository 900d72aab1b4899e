/** Where the records of an archive go: a workspace of its own, in which they get other ids. */
export interface Target {
  workspaceId: number;
  now: number;
  id(table: string, id: number): number;
  keyId(id: string): string;
  /** The number of the next event. */
  nextSequence(): number;
  /** A secret for a webhook, sealed. It was never shown: the owner rotates it. */
  newSecret(): { sealed: string; hint: string };
}
