// How long files may be, and how many may be in a folder.

const SOURCE_LINES_MAX = 300;
const TEST_LINES_MAX = 400;
const FOLDER_FILES_MAX = 20;
const TEST_FOLDER_FILES_MAX = 24;

const CODE = /\.(ts|tsx|mjs|js|lua|c)$/;
const TESTS = /(^|\/)test\/|^(bench|fuzz|planted|torture)\//;

/** Returns undefined for a file that is not code, or not too long. */
export function findLength(file: string, text: string): string | undefined {
  if (!CODE.test(file)) return undefined;
  const linesMax = TESTS.test(file) ? TEST_LINES_MAX : SOURCE_LINES_MAX;
  const lines = text.split('\n').length - 1;
  return lines > linesMax ? `${file}: ${lines} lines, at most ${linesMax}: split it` : undefined;
}

/** One line for each folder with too many files. */
export function findCrowdedFolders(files: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of files) {
    const folder = folderOf(file);
    if (folder !== '') counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) => {
    const filesMax = TESTS.test(folder) ? TEST_FOLDER_FILES_MAX : FOLDER_FILES_MAX;
    return count > filesMax ? [`${folder}: ${count} files, at most ${filesMax}: split it`] : [];
  });
}

/** With a slash at its end; empty for the root. */
export function folderOf(file: string): string {
  return file.slice(0, file.lastIndexOf('/') + 1);
}
