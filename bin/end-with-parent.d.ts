export const PARENT_GONE: string;
export function childEnvironment(): NodeJS.ProcessEnv;
export function endWithParent(): void;
