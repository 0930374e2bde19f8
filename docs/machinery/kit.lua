-- What pages and the book share. In: Pandoc blocks of one source. Out: the same, with samples captioned,
-- links led to pages, notes and figures marked up. The idea: whatever can't be resolved ends the build, with
-- file and target.
local kit = {}

local function fail(source, message)
  io.stderr:write(source .. ": " .. message .. "\n")
  os.exit(1)
end

-- ---- contents ----

function kit.contents(file)
  local pages, by_source = {}, {}
  for line in io.lines(file) do
    local part, source, name, title = line:match("^([^|]*)|([^|]*)|([^|]*)|(.*)$")
    local page = { part = part, source = source, name = name, title = title, number = #pages + 1 }
    pages[#pages + 1] = page
    by_source[source] = page
  end
  return pages, by_source
end

local function normalise(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then parts[#parts] = nil elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

local function exists(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

-- ---- samples: what quote.awk filled in ----

local function quote(block)
  local file = block.attributes.file
  if not file then return nil end
  local code = pandoc.CodeBlock(block.text, pandoc.Attr(block.identifier, block.classes))
  local caption = pandoc.Para({ pandoc.Str("From "), pandoc.Code(file) })
  return pandoc.Div({ code, caption }, pandoc.Attr("", { "listing" }))
end

-- ---- notes ----

local titles = { note = "Note", warning = "Take care", question = "Questions", measured = "Measured" }

local function mark_note(div)
  for class, title in pairs(titles) do
    if div.classes:includes(class) then
      div.attributes.role = "note"
      local words = pandoc.Para({ pandoc.Strong({ pandoc.Str(div.attributes.title or title) }) })
      div.attributes.title = nil
      table.insert(div.content, 1, pandoc.Div({ words }, pandoc.Attr("", { "note-title" })))
      return div
    end
  end
end

-- ---- steppers ----

local function html_block(text) return pandoc.RawBlock("html", text) end

-- A preset is a table that folds out, a stepper a section of them. Scripts put their buttons into it.
local function mark_stepper(div)
  if div.classes:includes("preset") then
    local data = {}
    for key, value in pairs(div.attributes) do
      if key ~= "title" then data[#data + 1] = string.format(' data-%s="%s"', key, kit.escape(value)) end
    end
    table.sort(data)
    local head = string.format('<details class="preset"%s><summary>%s</summary>', table.concat(data),
      kit.escape(div.attributes.title))
    div.attributes, div.classes = {}, { "steps" }
    return { html_block(head), div, html_block("</details>") }
  end
  if div.classes:includes("stepper") then
    local title = kit.escape(div.attributes.title)
    local head = string.format('<section class="stepper" data-model="%s" aria-label="%s">' ..
      '<p class="stepper-title">%s</p>', kit.escape(div.attributes.model), title, title)
    div.attributes, div.classes = {}, { "story" }
    return { html_block(head), div, html_block("</section>") }
  end
end

-- The models that a page's steppers play.
function kit.models(blocks)
  local models = {}
  pandoc.Pandoc(blocks):walk({
    Div = function(div)
      if div.classes:includes("stepper") then models[#models + 1] = div.attributes.model end
    end,
  })
  return models
end

-- "<summary>Answer</summary>": Pandoc makes a paragraph of the word, which would stand below the mark that
-- folds.
local function plain_summaries(blocks)
  for i = 2, #blocks do
    local before = blocks[i - 1]
    if blocks[i].t == "Para" and before.t == "RawBlock" and before.text:match("^<summary") then
      blocks[i] = pandoc.Plain(blocks[i].content)
    end
  end
  return blocks
end

-- ---- links ----

-- link_to(page, anchor) makes the target for the site or for the book.
function kit.resolve(blocks, source, by_source, link_to)
  local folder = source:match("^(.*)/[^/]*$") or ""
  local function target(link)
    local url = link.target
    if url:match("^%a+:") or link.classes:includes("plain") then return nil end
    local path, anchor = url:match("^([^#]*)#?(.*)$")
    local file = path == "" and source or normalise(folder .. "/" .. path)
    if not by_source[file] and by_source[normalise(path)] then file = normalise(path) end
    if file:match("^interface/") then file = "build/docs-work/interface.md" end
    if file:match("^docs/rules") and not by_source[file] then
      anchor, file = file:match("([^/]*)%.md$") or "", "build/docs-work/rules.md"
    end
    local page = by_source[file]
    if page then
      link.target = link_to(page, anchor)
      return link.target and link or link.content
    end
    if not exists(file) then fail(source, "the link to " .. url .. " leads nowhere") end
    return link.content -- a file of the kit that is no page
  end
  local filter = {
    Link = target,
    CodeBlock = quote,
    Div = function(div) return mark_stepper(div) or mark_note(div) end,
    Blocks = plain_summaries,
    -- Pandoc makes one dash of two, but here they begin an option: **--json**.
    Str = function(word)
      word.text = word.text:gsub("–", "--")
      return word
    end,
    -- A word such as `-lineinfo` stays in one line: a break after its hyphen would make two words of it.
    Code = function(code)
      if #code.text <= 20 then code.classes = { "short" } end
      return code
    end,
    -- A table may be wider than a phone: it scrolls in a box that the keyboard can reach. Its columns are as
    -- wide as their words want, whatever the lines of dashes in the source say.
    Table = function(wide)
      for _, column in ipairs(wide.colspecs) do column[2] = nil end
      local attributes = { tabindex = "0", role = "region", ["aria-label"] = "Table" }
      return pandoc.Div({ wide }, pandoc.Attr("", { "table-box" }, attributes))
    end,
    Image = function(image)
      if pandoc.utils.stringify(image.caption) == "" then
        fail(source, image.src .. " has no text alternative")
      end
      if not image.src:match("%.svg$") then fail(source, image.src .. " must be an SVG") end
      if not exists(normalise(folder .. "/" .. image.src)) then
        fail(source, "there is no picture " .. image.src)
      end
      image.src = image.src:match("[^/]*$")
      return image
    end,
  }
  return pandoc.Pandoc(blocks):walk(filter).blocks
end

-- A man page's title stands in its metadata and its sections are of the first level: they become a page with
-- one heading.
function kit.as_page(blocks, page)
  if not page.source:match("%.%d%.md$") then return blocks end
  local section = page.source:match("%.(%d)%.md$")
  local function lower(header)
    header.level = header.level + 1
    return header
  end
  blocks = pandoc.Pandoc(blocks):walk({ Header = lower }).blocks
  blocks:insert(1, pandoc.Header(1, pandoc.Str(page.title .. "(" .. section .. ")"), pandoc.Attr(page.title)))
  return blocks
end

function kit.escape(text)
  return (text:gsub("&", "&amp;"):gsub("<", "&lt;"):gsub(">", "&gt;"):gsub('"', "&quot;"))
end

return kit
