export const collidingKeys = (count: number): string[] => Array.from({length: count}, (_, n) => `k${n}`);
