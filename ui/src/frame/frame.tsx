// SPDX-License-Identifier: Apache-2.0
import { Link, Outlet, useNavigate, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect, useState } from "react";
import { useHop } from "../app/page-context.ts";
import { StateShape } from "../parts/state-shape.tsx";
import styles from "./frame.module.css";
import { HubLine } from "./hub-line.tsx";
import { KeySheet } from "./key-sheet.tsx";
import { takeKey, useKey } from "./keys.ts";
import { LoginWall } from "./login-wall.tsx";
import { NewerPage } from "./newer-page.tsx";
import { NoAccess, useNoAccess } from "./no-access.tsx";
import { Notices } from "./notices.tsx";
import { Palette } from "./palette.tsx";
import { useTheme } from "./theme.ts";
import { UserMenu } from "./user-menu.tsx";

/** The pages in the navigation rail. */
const places = [
  { to: "/", title: "Fleet", keys: "g f", path: "M3 12h12l-2 4H5zM8.2 3v8H4zM9.8 5l4.2 6H9.8z" },
  { to: "/changes", title: "Changes", keys: "g c", path: "M2 5h9M2 9h14M2 13h6" },
  { to: "/add", title: "Add cluster", keys: "g a", path: "M9 3v12M3 9h12" },
] as const;

/** The frame around every page: navigation, notices and the state of the hub connection. */
export function Frame(): ReactNode {
  const hop = useHop();
  const here = useHere();
  const denied = useNoAccess();
  useFrameKeys();
  return (
    <div className={styles["frame"]} data-hub={hop.kind}>
      <a className={styles["skip"]} href="#main">
        Skip to content
      </a>
      <nav className={styles["rail"]} aria-label="Pages">
        {places.map(({ to, title, path }) => (
          <Link
            key={to}
            to={to}
            className={styles["place"]}
            activeOptions={{ exact: true }}
            aria-current={to === here.to ? "page" : undefined}
          >
            <svg viewBox="0 0 18 18" aria-hidden="true">
              <path d={path} fill={to === "/" ? "currentColor" : "none"} stroke="currentColor" strokeWidth="1.4" />
            </svg>
            <span>{title}</span>
          </Link>
        ))}
      </nav>
      <header className={styles["bar"]}>
        <Bar />
      </header>
      <div className={styles["hub"]}>
        <HubLine />
        <NewerPage />
      </div>
      <main id="main" className={styles["main"]}>
        {denied === undefined ? <Outlet /> : <NoAccess viewer={denied} />}
      </main>
      <footer className={styles["notices"]}>
        <Notices />
      </footer>
      {hop.kind === "loginNeeded" && <LoginWall sentence={hop.sentence} />}
    </div>
  );
}

/** The rail entry of the current page, including pages opened below it. */
function useHere(): (typeof places)[number] {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  return places.find(({ to }) => to !== "/" && path.startsWith(to)) ?? places[0];
}

function Bar(): ReactNode {
  const hop = useHop();
  const [theme, nextTheme] = useTheme();
  const here = useHere();
  const isOpen = hop.kind === "open";
  useKey("t", "Theme: system, dark, light", nextTheme);
  return (
    <>
      <span className={styles["here"]}>{here.title}</span>
      <PaletteButton />
      <span className={styles["hop"]} title="This browser to the hub">
        <StateShape state={isOpen ? "live" : hop.kind === "lost" ? "disconnected" : "neverSeen"} />
        hub {isOpen ? "live" : hop.kind === "lost" ? "lost" : "opening"}
      </span>
      <button type="button" onClick={nextTheme} aria-label={`Theme: ${theme}. Change it.`} title={`Theme: ${theme}`}>
        {theme === "system" ? "◐" : theme === "dark" ? "●" : "○"}
      </button>
      <UserMenu />
    </>
  );
}

function PaletteButton(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const [isSheetOpen, setSheetOpen] = useState(false);
  useKey("mod+k", "Find a page or a cluster", () => setOpen(true));
  useKey("?", "All keys", () => setSheetOpen(true));
  return (
    <>
      <button type="button" className={styles["find"]} onClick={() => setOpen(true)}>
        Find a cluster <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <Palette places={places} onClose={() => setOpen(false)} />}
      {isSheetOpen && <KeySheet onClose={() => setSheetOpen(false)} />}
    </>
  );
}

/** The frame's own keys, and the only key listener of the page. */
function useFrameKeys(): void {
  const navigate = useNavigate();
  useKey("g f", "Fleet", () => void navigate({ to: "/", search: (before) => before }));
  useKey("g c", "Changes", () => void navigate({ to: "/changes" }));
  useKey("g a", "Add cluster", () => void navigate({ to: "/add" }));
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const binding = takeKey(event);
      if (binding === undefined) return;
      event.preventDefault();
      binding.run();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, []);
}
