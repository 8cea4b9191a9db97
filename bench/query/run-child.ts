// SPDX-License-Identifier: Apache-2.0
import { fork } from "node:child_process";
import { once } from "node:events";

/** Runs a process of the bench that sends one message. Rejects if it ends without. */
export async function runChild<Message>(
  file: URL,
  args: readonly string[],
  execArgv: readonly string[] = [],
): Promise<Message> {
  const child = fork(file, args, { execArgv: [...execArgv], serialization: "advanced" });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  let message: { readonly value: Message } | undefined;
  child.on("message", (value) => {
    message = { value: value as Message };
  });
  const [[code]] = (await Promise.all([once(child, "exit"), once(child, "disconnect")])) as [[number | null], unknown];
  process.off("exit", kill);
  if (code !== 0 || message === undefined) throw new Error(`${file.pathname} ended with ${code}`);
  return message.value;
}
