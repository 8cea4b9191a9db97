// SPDX-License-Identifier: Apache-2.0
import { useState } from "react";

/** The viewer's choice; `system` follows the operating system. */
export type Theme = "system" | "dark" | "light";

const key = "flotilla-theme";
const order: readonly Theme[] = ["system", "dark", "light"];

function parseTheme(text: string | null): Theme {
  return order.find((theme) => theme === text) ?? "system";
}

/** Sets the theme on the document. Called before the first render, to avoid a flash. */
export function applyTheme(theme: Theme = parseTheme(localStorage.getItem(key))): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** The current choice and a function that advances to the next. Stored in this browser. */
export function useTheme(): readonly [Theme, () => void] {
  const [theme, setTheme] = useState(() => parseTheme(localStorage.getItem(key)));
  const next = (): void => {
    const chosen = order[(order.indexOf(theme) + 1) % order.length] ?? "system";
    localStorage.setItem(key, chosen);
    applyTheme(chosen);
    setTheme(chosen);
  };
  return [theme, next];
}
