// Pictures of report.html for docs/page.md, and what axe finds on it.
//
//   npm install --no-save playwright-core axe-core          # once, anywhere above this file or in NODE_PATH
//   node tests/page/shoot.mjs target/release/precis docs/images [chromium]
//
// Makes reports of tests/page/documents with the program that is given, photographs them, and ends with 1 where axe finds something
// or a page scrolls sideways: every page is opened at 390 and at 1280 px. The picture of paper is the page with its print styles at
// the width of A4.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "x.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const [program, into, browserPath = "/usr/bin/chromium"] = process.argv.slice(2);
if (!program || !into) throw new Error("usage: node tests/page/shoot.mjs PROGRAM FOLDER [CHROMIUM]");
const documents = join(dirname(fileURLToPath(import.meta.url)), "documents");
const MOST_BYTES = 200_000;

const LATE = "What is the penalty cap for late delivery?";
// Name of the report, and the arguments that make it. `from` is an earlier report that a refresh repeats.
const reports = {
  delay: { args: ["run", LATE, "delay"] },
  compare: { args: ["run", "Compare the penalty cap for late delivery in the contract and in the amendment.", "delay"] },
  overview: { args: ["run", "Summarize the documents.", "delay"] },
  refused: { args: ["run", "Which vaccine is given against measles?", "delay"] },
  research: { args: ["research", LATE, "--corpus", "delay"] },
  refresh: { args: ["refresh", "delay"], from: "delay" },
  arabic: { args: ["run", "كم تنتج محطة التحلية من المياه يوميا؟", "arabic"] },
  japanese: { args: ["run", "本は何冊まで借りることができますか。", "japanese"] },
};
// Name of the picture, report, and how it is looked at. `height` is what is shown of it.
const pictures = [
  ["wide", "delay", { width: 1280, height: 1000 }],
  ["phone", "delay", { width: 390, height: 1100 }],
  ["dark", "compare", { width: 1280, height: 900, dark: true }],
  ["print", "delay", { width: 794, height: 1123, paper: true }],
  ["arabic", "arabic", { width: 1280, height: 800 }],
  ["japanese", "japanese", { width: 390, height: 900 }],
];
for (const name of ["research", "compare", "overview", "refused", "refresh"])
  for (const width of [390, 1280]) pictures.push([`${name}-${width}`, name, { width, height: 900 }]);

const desk = mkdtempSync(join(tmpdir(), "precis-page-"));
const page = {};
for (const [name, { args, from }] of Object.entries(reports)) {
  const out = join(desk, name);
  const [command, ...rest] = args;
  // A refresh is given the earlier report and its documents.
  const asked = from ? [join(desk, from), join(documents, rest[0])] : rest.with(-1, join(documents, rest.at(-1)));
  try {
    execFileSync(resolve(program), [command, ...asked, "--out", out, "--no-cache", "--quiet"], {
      env: { PATH: process.env.PATH, HOME: desk },
    });
  } catch (failure) {
    // The exit code also says that nothing or only a part is answered; the page shows it.
    if (!existsSync(join(out, "report.html"))) throw failure;
  }
  page[name] = pathToFileURL(join(out, "report.html")).href;
}

mkdirSync(into, { recursive: true });
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const faults = [];
try {
  for (const [name, report, look] of pictures) {
    const context = await browser.newContext({
      viewport: { width: look.width, height: look.height },
      colorScheme: look.dark ? "dark" : "light",
      bypassCSP: true,
    });
    const tab = await context.newPage();
    if (look.paper) await tab.emulateMedia({ media: "print" });
    await tab.goto(page[report]);
    const file = join(into, `${name}.png`);
    await tab.screenshot({ path: file, clip: { x: 0, y: 0, width: look.width, height: look.height } });
    if (statSync(file).size > MOST_BYTES) faults.push(`${file} is larger than ${MOST_BYTES} bytes`);
    // Everything unfolds once, so that what is inside is judged too.
    for (const unfolded of [false, true]) {
      if (unfolded) await tab.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      if (wide > 0) faults.push(`${name}: the page is ${wide} px wider than the screen`);
      await tab.evaluate(axe);
      const found = await tab.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      for (const v of found.violations) faults.push(`${name}: axe ${v.id}: ${v.help} (${v.nodes.map((n) => n.target).join(", ")})`);
    }
    await context.close();
  }
  for (const [name, href] of Object.entries(page)) {
    for (const width of [390, 1280]) {
      const tab = await browser.newPage({ viewport: { width, height: 900 } });
      await tab.goto(href);
      for (const unfolded of [false, true]) {
        if (unfolded) await tab.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
        const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        if (wide > 0) faults.push(`${name} at ${width} px: the page is ${wide} px wider than the screen`);
      }
      await tab.close();
    }
  }
} finally {
  await browser.close();
}
faults.forEach((fault) => console.error(fault));
console.log(`${pictures.length} pictures in ${into}, ${faults.length} faults; reports in ${desk}`);
process.exit(faults.length ? 1 : 0);
