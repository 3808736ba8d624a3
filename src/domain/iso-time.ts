export const isoTime = (at: number): string => new Date(at).toISOString();
