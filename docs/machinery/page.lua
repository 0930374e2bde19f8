-- Pandoc filter for one page of the site. In: a source, and metadata `page` and `contents`. Out: the page,
-- with navigation and neighbours as metadata, and beside it what the search finds on it.
package.path = "docs/machinery/?.lua;" .. package.path
local kit = require("kit")

local function html(text)
  return pandoc.MetaBlocks({ pandoc.RawBlock("html", text) })
end

-- The whole contents, a part at a time, the part of this page opened.
local function navigation(pages, here)
  local out, part = {}, nil
  for _, page in ipairs(pages) do
    if page.part ~= part then
      if part then out[#out + 1] = "</ul></details>" end
      part = page.part
      local open = (part == here.part or (part == "Guide" and here.part == "Start here")) and " open" or ""
      out[#out + 1] = "<details" .. open .. "><summary>" .. kit.escape(part) .. "</summary><ul>"
    end
    local current = page == here and ' aria-current="page"' or ""
    out[#out + 1] =
      string.format('<li><a href="%s.html"%s>%s</a></li>', page.name, current, kit.escape(page.title))
  end
  out[#out + 1] = "</ul></details>"
  return table.concat(out, "\n")
end

local function neighbour(page, word, rel)
  if not page then return "" end
  local link = '<a rel="%s" href="%s.html"><span>%s</span> %s</a>'
  return string.format(link, rel, page.name, word, kit.escape(page.title))
end

-- One entry per section: page, anchor, title, words.
local function write_search(blocks, here, file)
  local entries, entry = {}, { anchor = "", title = here.title, words = {} }
  local function close() entries[#entries + 1] = entry end
  for _, block in ipairs(blocks) do
    if block.t == "Header" then
      if block.level > 1 then
        close()
        entry = { anchor = block.identifier, title = pandoc.utils.stringify(block), words = {} }
      end
    else
      entry.words[#entry.words + 1] = pandoc.utils.stringify(block)
    end
  end
  close()
  local function string_of(text)
    text = text:gsub("%s+", " "):gsub("[%c\\]", " "):gsub('"', '\\"'):gsub("<", "\\u003c")
    return '"' .. text .. '"'
  end
  local out = io.open(file, "w")
  for _, e in ipairs(entries) do
    local words = table.concat(e.words, " ")
    out:write("[", string_of(here.name .. ".html" .. (e.anchor ~= "" and "#" .. e.anchor or "")), ",",
      string_of(here.title), ",", string_of(e.title), ",", string_of(words), "],\n")
  end
  out:close()
end

-- The scripts of a page that has steppers: models first. The ring is made of barriers.
local function scripts_of(models)
  local files, seen = {}, {}
  local function need(file)
    if not seen[file] then files[#files + 1] = '<script src="' .. file .. '.js" defer></script>' end
    seen[file] = true
  end
  local player = {}
  for _, model in ipairs(models) do
    if model == "ring" then need("barrier-model") end
    need(model .. "-model")
    player[model == "swizzle" and "swizzle" or "stepper"] = true
  end
  for _, file in ipairs({ "stepper", "swizzle" }) do
    if player[file] then
      need("element")
      need(file)
    end
  end
  return table.concat(files, "\n")
end

function Pandoc(document)
  local name = pandoc.utils.stringify(document.meta.page)
  local work = pandoc.utils.stringify(document.meta.work)
  local pages, by_source = kit.contents(work .. "/contents")
  local here
  for _, page in ipairs(pages) do
    if page.name == name then here = page end
  end
  local function link_to(page, anchor)
    return page.name .. ".html" .. (anchor ~= "" and "#" .. anchor or "")
  end
  local scripts = scripts_of(kit.models(document.blocks))
  document.blocks = kit.resolve(kit.as_page(document.blocks, here), here.source, by_source, link_to)
  write_search(document.blocks, here, work .. "/search/" .. name .. ".js")
  document.meta = {
    pagetitle = here.title, part = here.part, lang = "en", navigation = html(navigation(pages, here)),
    previous = html(neighbour(pages[here.number - 1], "Before", "prev")),
    next = html(neighbour(pages[here.number + 1], "Next", "next")),
    withtoc = here.name ~= "index", scripts = html(scripts),
  }
  return document
end
