/** A file that is sent while it is read, so that its size does not matter. */
export interface Download {
  /** Its media type, one of those that the operation declares. */
  type: string;
  fileName: string;
  chunks: AsyncIterable<string | Buffer>;
}
