// SPDX-License-Identifier: Apache-2.0
import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Io } from "../../cli/output/io.ts";

/**
 * The program that opens a file in the user's browser; undefined without a terminal, without a desktop, or over SSH.
 */
export function findOpener(io: Pick<Io, "stdout" | "env">, platform: string): string | undefined {
  if (!io.stdout.isTerminal || io.env["SSH_CONNECTION"] !== undefined) return undefined;
  if (platform === "darwin") return "open";
  const display = io.env["DISPLAY"] ?? io.env["WAYLAND_DISPLAY"] ?? "";
  return platform === "linux" && display !== "" ? "xdg-open" : undefined;
}

/**
 * Opens a link in the browser through a file that only its owner can read: program arguments are visible to all users
 * of the machine, and the link contains a code. Disposing removes the file. A browser that does not start is not an
 * error, because the link was printed.
 */
export function openPage(link: string, opener: string, folder: string): Disposable {
  const file = resolve(folder, "open-page.html");
  writeFileSync(file, renderOpener(link), { mode: 0o600 });
  const child = spawn(opener, [file], { stdio: "ignore", detached: true });
  child.on("error", () => undefined);
  child.unref();
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

/** An HTML file that redirects to the link. Our links need no escaping; other characters are removed. */
export function renderOpener(link: string): string {
  const url = link.replace(/[^A-Za-z0-9:/.#=_[\]-]/g, "");
  return `<!doctype html>\n<meta charset="utf-8">\n<meta http-equiv="refresh" content="0; url=${url}">\n<title>Flotilla</title>\n`;
}
