export interface Bug {
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Under server/test, or from the root for those of the console. */
  tests: readonly string[];
}
