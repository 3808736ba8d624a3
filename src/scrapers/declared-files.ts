const readFiles = new Map<string, readonly string[]>();

/** Notes which files a scraper without code names, by the URL of its own. */
export const noteFilesRead = (url: string, others: readonly string[]): void =>
  void readFiles.set(url, others);

/** URLs of these files, in the order in which they were read. */
export const filesReadBy = (url: string): readonly string[] => readFiles.get(url) ?? [];
