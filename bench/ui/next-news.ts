// SPDX-License-Identifier: Apache-2.0
import type { ChildProcess } from "node:child_process";

/** The next news of that kind from a process whose messages are all `News`. Rejects if it ends before. */
export function nextNews<News extends { readonly kind: string }, K extends News["kind"]>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<News, { readonly kind: K }>> {
  return new Promise((resolve, reject) => {
    const end = (code: number | null): void => reject(new Error(`${child.spawnfile} ended with ${code}`));
    const take = (news: News): void => {
      if (!isKind(news, kind)) return;
      child.off("message", take);
      child.off("exit", end);
      resolve(news);
    };
    child.on("message", take);
    child.once("exit", end);
  });
}

function isKind<News extends { readonly kind: string }, K extends string>(
  news: News,
  kind: K,
): news is Extract<News, { readonly kind: K }> {
  return news.kind === kind;
}
