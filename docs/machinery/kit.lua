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
      return link
    end
    if not exists(file) then fail(source, "the link to " .. url .. " leads nowhere") end
    return link.content -- a file of the kit that is no page
  end
  local filter = {
    Link = target,
    CodeBlock = quote,
    Div = mark_note,
    -- A table may be wider than a phone: it scrolls in a box that the keyboard can reach.
    Table = function(wide)
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
