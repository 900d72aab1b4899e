export interface Bug {
  name: string;
  file: string;
  find: string;
  replace: string;
  /** Under server/test. */
  tests: readonly string[];
}
